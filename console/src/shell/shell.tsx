import { Outlet, useLocation } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { useApi } from '../api/api.ts';
import { Button } from '../ui/forms/button.tsx';
import { Link } from '../ui/link.tsx';
import { Loading } from '../ui/loading/loaded.tsx';
import { SessionEndNotice } from '../ui/loading/session-end.tsx';
import { closeUndo, Notices } from '../ui/notices.tsx';
import { sections } from './navigation.ts';
import { ThemeChoice } from './theme.tsx';

/** The frame around every screen: the menu, who is signed in, and the screen. */
export function Shell() {
  const { pathname } = useLocation();
  const [isMenuOpen, setMenuOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new screen begins at its top, with its menu closed
  useEffect(() => {
    setMenuOpen(false);
    closeUndo();
    window.scrollTo(0, 0);
  }, [pathname]);
  return (
    <div className="shell">
      <button className="skip button" type="button" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header className="side">
        <div className="brand">
          <strong>Agent and Flow Automation</strong>
          <Button
            look="quiet"
            aria-expanded={isMenuOpen}
            aria-controls="menu"
            onPress={() => setMenuOpen(!isMenuOpen)}
          >
            Menu
          </Button>
        </div>
        <div id="menu" className={isMenuOpen ? 'menu open' : 'menu'}>
          <Menu pathname={pathname} />
          <Who />
        </div>
      </header>
      <Suspense fallback={<Loading />}>
        <Outlet />
      </Suspense>
      <SessionEndNotice />
      <Notices />
    </div>
  );
}

const Menu = ({ pathname }: { pathname: string }) => (
  <nav aria-label="Console">
    <ul>
      {sections.map(({ to, label, icon }) => (
        <li key={to}>
          <Link to={to} aria-current={isBelow(pathname, to) ? 'page' : undefined}>
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d={icon} />
            </svg>
            {label}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
);

const isBelow = (pathname: string, to: string) =>
  to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);

function Who() {
  const { credential } = useApi();
  return (
    <div className="who">
      <p>
        <bdi>{credential.user}</bdi>
        {credential.organization && (
          <>
            <br />
            <span className="help">
              in <bdi>{credential.organization}</bdi>
            </span>
          </>
        )}
      </p>
      <ThemeChoice />
      <Button look="quiet" onPress={credential.signOut}>
        {credential.kind === 'session' ? 'Sign out' : 'Forget the key'}
      </Button>
    </div>
  );
}
