import type { ReactNode } from 'react';
import { useApi } from '../../../api/api.ts';
import { readableSettings } from '../../../routing/sections.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { ScreenPage } from '../../../ui/page.tsx';
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
  <ScreenPage title={title} id={id} actions={actions} {...(above && { above })}>
    <Tabs label={sharedTexts.settings} items={readableSettings(useApi().credential.permissions)} />
    {children}
  </ScreenPage>
);
