import { type ReactNode, Suspense } from 'react';
import { useKeptChoice } from '../../../ui/kept-choice.ts';
import { Loading } from '../../../ui/loading/loaded.tsx';
import '../../../style/step-data.css';

interface Props {
  /** Its class, and its key in this browser. */
  name: 'step-data' | 'prompt-test';
  title: string;
  summary: string;
  /** Drawn only while it is open. */
  children: ReactNode;
}

/** A part below or beside the form of a step, as open as somebody left it. While it is closed, nothing runs. */
export function KeptPanel({ name, title, summary, children }: Props) {
  const [state, setState] = useKeptChoice(name, ['closed', 'open']);
  const isOpen = state === 'open';
  return (
    <details
      className={name}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        if (open !== isOpen) setState(open ? 'open' : 'closed');
      }}
    >
      <summary>
        {title} <span className="help">{summary}</span>
      </summary>
      {isOpen && <Suspense fallback={<Loading />}>{children}</Suspense>}
    </details>
  );
}
