import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Link } from './link.tsx';

/** The parts of a screen, each with an address of its own. */
export function Tabs({ label, items }: { label: string; items: readonly { to: string; label: string }[] }) {
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // On a phone the current one may be beyond the edge.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another current one
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  return (
    <nav ref={nav} aria-label={label} className="tabs">
      {items.map((item) => (
        <Link key={item.to} to={item.to} aria-current={pathname === item.to ? 'page' : undefined}>
          {item.label}
        </Link>
      ))}
    </nav>
  );
}
