import { type ReactNode, useEffect } from 'react';
import { Link } from './link.tsx';

interface Props {
  title: string;
  /** The screens above this one. */
  above?: readonly { to: string; label: string }[];
  actions?: ReactNode;
  children: ReactNode;
}

/** A screen: its title is the title of the window too. */
export function Page({ title, above = [], actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Console`;
  }, [title]);
  return (
    <main id="main" tabIndex={-1}>
      {above.length > 0 && (
        <nav aria-label="Above this page" className="above">
          {above.map(({ to, label }) => (
            <Link key={to} to={to}>
              <bdi>{label}</bdi>
            </Link>
          ))}
        </nav>
      )}
      <header className="page-head">
        <h1>
          <bdi>{title}</bdi>
        </h1>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </main>
  );
}
