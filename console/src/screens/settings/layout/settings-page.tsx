import type { ReactNode } from 'react';
import { Page } from '../../../ui/page.tsx';
import { Tabs } from '../../../ui/tabs.tsx';

const items = [
  { to: '/settings/api-keys', label: 'API keys' },
  { to: '/settings/secrets', label: 'Secrets' },
  { to: '/settings/provider-keys', label: 'Provider keys' },
  { to: '/settings/models', label: 'Models' },
  { to: '/settings/tools', label: 'Tools' },
  { to: '/settings/client-tokens', label: 'Client tokens' },
  { to: '/settings/audit-log', label: 'Audit log' },
  { to: '/settings/usage', label: 'Usage' },
];

/** The frame of every screen of the settings. */
export const SettingsPage = ({
  title,
  above,
  actions,
  children,
}: {
  title: string;
  above?: readonly { to: string; label: string }[];
  actions?: ReactNode;
  children: ReactNode;
}) => (
  <Page title={title} actions={actions} {...(above && { above })}>
    <Tabs label="Settings" items={items} />
    {children}
  </Page>
);
