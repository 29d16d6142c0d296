import { useState } from 'react';
import { Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover, Separator } from 'react-aria-components';
import { useApi } from '../../api/api.ts';
import { baseUrl } from '../../session/base-url.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { appearances, useAppearance } from './appearance.ts';
import { PermissionsDialog } from './permissions-dialog.tsx';

const appearanceLabels = { system: 'System', light: 'Light', dark: 'Dark' } as const;

/** Who is signed in, and what concerns them alone. */
export function AccountMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { credential } = useApi();
  const [showsPermissions, showPermissions] = useState(false);
  const [appearance, setAppearance] = useAppearance();
  const { user, organization, kind } = credential;
  return (
    <div className="account">
      <MenuTrigger>
        <Button look="quiet">
          <span className="visually-hidden">Account</span>
          <span className="avatar" aria-hidden="true">
            {user.slice(0, 1).toUpperCase()}
          </span>
          <span className="account-name">
            <bdi>{user}</bdi>
            {organization && (
              <span className="help">
                <bdi>{organization}</bdi>
              </span>
            )}
          </span>
          <Icon name="chevronsUpDown" />
        </Button>
        <Popover className="popover" placement="top start">
          <Menu className="menu-list" aria-label="Account">
            <MenuItem onAction={() => showPermissions(true)}>
              <Icon name="shield" />
              Permissions
            </MenuItem>
            <MenuItem onAction={onShortcuts}>
              <Icon name="keyboard" />
              Keyboard shortcuts
            </MenuItem>
            <MenuItem href={`${baseUrl}/docs`} target="_blank" rel="noreferrer">
              <Icon name="book" />
              Documentation
            </MenuItem>
            <Separator />
            <MenuSection
              selectionMode="single"
              disallowEmptySelection
              selectedKeys={[appearance]}
              onSelectionChange={(keys) => {
                const [chosen] = [...keys];
                setAppearance(appearances.find((each) => each === chosen) ?? 'system');
              }}
            >
              <Header>Appearance</Header>
              {appearances.map((each) => (
                <MenuItem key={each} id={each}>
                  <Icon name="check" />
                  {appearanceLabels[each]}
                </MenuItem>
              ))}
            </MenuSection>
            <Separator />
            <MenuItem onAction={credential.signOut}>
              <Icon name="logout" />
              {kind === 'session' ? 'Sign out' : 'Forget the key'}
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      <PermissionsDialog isOpen={showsPermissions} onClose={() => showPermissions(false)} />
    </div>
  );
}
