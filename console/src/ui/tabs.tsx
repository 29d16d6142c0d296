import { useLocation } from '@tanstack/react-router';
import { Link } from './link.tsx';

/** The parts of a screen, each with an address of its own. */
export function Tabs({ label, items }: { label: string; items: readonly { to: string; label: string }[] }) {
  const { pathname } = useLocation();
  return (
    <nav aria-label={label} className="tabs">
      {items.map((item) => (
        <Link key={item.to} to={item.to} aria-current={pathname === item.to ? 'page' : undefined}>
          {item.label}
        </Link>
      ))}
    </nav>
  );
}
