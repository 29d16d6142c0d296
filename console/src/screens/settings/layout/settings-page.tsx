import type { ReactNode } from 'react';
import { settingsSections } from '../../../routing/sections.ts';
import { Page } from '../../../ui/page.tsx';
import { Tabs } from '../../../ui/tabs.tsx';

/** The frame of every screen of the settings. */
export const SettingsPage = ({
  title,
  above,
  id,
  actions,
  children,
}: {
  title: string;
  above?: readonly { to: string; label: string }[];
  id?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) => (
  <Page title={title} id={id} actions={actions} {...(above && { above })}>
    <Tabs label="Settings" items={settingsSections} />
    {children}
  </Page>
);
