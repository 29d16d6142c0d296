import type { IconName } from '../ui/icon-paths.ts';

interface Section {
  to: string;
  label: string;
  icon: IconName;
  /** Typed after `g`, it opens the screen. */
  letter: string;
}

/** The main screens, in the order of the menu. */
export const sections: readonly Section[] = [
  { to: '/', label: 'Home', icon: 'home', letter: 'h' },
  { to: '/runs', label: 'Runs', icon: 'runs', letter: 'r' },
  { to: '/flows', label: 'Flows', icon: 'flows', letter: 'f' },
  { to: '/agents', label: 'Agents', icon: 'agents', letter: 'a' },
  { to: '/records', label: 'Records', icon: 'records', letter: 'd' },
  { to: '/products', label: 'Products', icon: 'products', letter: 'p' },
  { to: '/settings', label: 'Settings', icon: 'settings', letter: 's' },
];

export const settingsSections = [
  { to: '/settings/api-keys', label: 'API keys' },
  { to: '/settings/secrets', label: 'Secrets' },
  { to: '/settings/provider-keys', label: 'Provider keys' },
  { to: '/settings/models', label: 'Models' },
  { to: '/settings/tools', label: 'Tools' },
  { to: '/settings/client-tokens', label: 'Client tokens' },
  { to: '/settings/audit-log', label: 'Audit log' },
  { to: '/settings/usage', label: 'Usage' },
] as const;

export const isBelow = (pathname: string, to: string) =>
  to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);
