import { createContext, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { uiTexts } from '../texts/ui.ts';
import { Link } from './link.tsx';

interface Props {
  title: string;
  /** The screens above this one. */
  above?: readonly { to: string; label: string }[];
  /** The ID of what the screen shows. */
  id?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

const Slot = createContext<HTMLElement | null>(null);

/** Puts what acts on a part of the screen into its head, before its own actions. */
export function HeadActions({ children }: { children: ReactNode }) {
  const slot = useContext(Slot);
  return slot && createPortal(children, slot);
}

/** The browser itself begins the first screen of a page, at its top. */
let isFirst = true;

/** A screen: its title is the title of the window too. */
export function ScreenPage({ title, above = [], id, actions, children }: Props) {
  const main = useRef<HTMLElement>(null);
  const heading = useId();
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  // What one pressed to come here may be gone: the keyboard, and a screen reader, go on from here.
  useEffect(() => {
    if (!isFirst && document.activeElement === document.body) main.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = uiTexts.titleOfPage(title);
  }, [title]);
  return (
    <main ref={main} id="main" tabIndex={-1} aria-labelledby={heading}>
      {above.length > 0 && (
        <nav aria-label={uiTexts.breadcrumb} className="above">
          {above.map(({ to, label }) => (
            <Link key={to} to={to}>
              <bdi>{label}</bdi>
            </Link>
          ))}
        </nav>
      )}
      <header className="page-head">
        <div className="page-title">
          <h1 id={heading}>
            <bdi>{title}</bdi>
          </h1>
          {id}
        </div>
        <div className="actions">
          <div ref={setSlot} className="page-slot" />
          {actions}
        </div>
      </header>
      <Slot value={slot}>{children}</Slot>
    </main>
  );
}
