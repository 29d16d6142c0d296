import { useLocation, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../../api/api.ts';
import { isBelow, readableSettings } from '../../../routing/sections.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Link } from '../../../ui/link.tsx';
import { ScreenPage } from '../../../ui/page.tsx';
import { useMedia } from '../../../ui/use-media.ts';
import '../../../style/settings.css';

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
    <div className="settings">
      <SettingsMenu />
      <div>{children}</div>
    </div>
  </ScreenPage>
);

/** The screens of the settings in groups: a column beside them, or on a phone one list to choose from. */
function SettingsMenu() {
  const { pathname } = useLocation();
  const { history } = useRouter();
  const isWide = useMedia('(width >= 1000px)');
  const sections = readableSettings(useApi().credential.permissions);
  const groups = [...Map.groupBy(sections, ({ group }) => group)];
  const current = sections.find(({ to }) => isBelow(pathname, to))?.to ?? '';
  if (!isWide)
    return (
      <nav aria-label={sharedTexts.settings} className="settings-choice">
        <select
          aria-label={sharedTexts.settings}
          value={current}
          onChange={({ target }) => history.push(target.value)}
        >
          {groups.map(([group, grouped]) => (
            <optgroup key={group} label={group}>
              {grouped.map(({ to, label }) => (
                <option key={to} value={to}>
                  {label}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </nav>
    );
  return (
    <nav aria-label={sharedTexts.settings} className="settings-menu">
      {groups.map(([group, grouped]) => (
        <div key={group}>
          <p>{group}</p>
          {grouped.map(({ to, label }) => (
            <Link key={to} to={to} aria-current={to === current ? 'page' : undefined}>
              {label}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}
