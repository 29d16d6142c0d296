import { useState } from 'react';
import { Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover, Separator } from 'react-aria-components';
import { useApi } from '../../api/api.ts';
import { baseUrl } from '../../session/base-url.ts';
import { menuTexts } from '../../texts/menus.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { shellTexts } from '../../texts/shell.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { appearances, useAppearance } from './appearance.ts';
import { Who } from './who.tsx';

const appearanceLabels = { system: menuTexts.system, light: menuTexts.light, dark: menuTexts.dark } as const;

/** What concerns the person who is signed in alone. It opens at once: it is loaded when somebody first wants it. */
export function AccountMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { credential } = useApi();
  const [showsPermissions, showPermissions] = useState(false);
  const [appearance, setAppearance] = useAppearance();
  const { kind } = credential;
  return (
    <>
      <MenuTrigger defaultOpen>
        <Button look="quiet">
          <Who />
        </Button>
        <Popover className="popover" placement="top start">
          <Menu className="menu-list" aria-label={shellTexts.account}>
            <MenuItem onAction={() => showPermissions(true)}>
              <Icon name="shield" />
              {sharedTexts.permissions}
            </MenuItem>
            <MenuItem onAction={onShortcuts}>
              <Icon name="keyboard" />
              {menuTexts.keyboardShortcuts}
            </MenuItem>
            <MenuItem href={`${baseUrl}/docs`} target="_blank" rel="noreferrer">
              <Icon name="book" />
              {menuTexts.documentation}
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
              <Header>{menuTexts.appearance}</Header>
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
              {kind === 'session' ? menuTexts.signOut : menuTexts.forgetKey}
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      <PermissionsDialog isOpen={showsPermissions} onClose={() => showPermissions(false)} />
    </>
  );
}

/** What the session may do, as its issuer says. */
function PermissionsDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { permissions } = useApi().credential;
  return (
    <Dialog title={sharedTexts.permissions} isOpen={isOpen} onClose={onClose}>
      {permissions === null ? (
        <p>{menuTexts.permissionsOfApiKey}</p>
      ) : permissions.includes('*') ? (
        <p>{menuTexts.allPermissions}</p>
      ) : permissions.length === 0 ? (
        <p>{menuTexts.noPermissions}</p>
      ) : (
        <ul className="permissions">
          {permissions.map((permission) => (
            <li key={permission}>
              <code>{permission}</code>
            </li>
          ))}
        </ul>
      )}
      <div className="actions">
        <Button onPress={onClose}>{sharedTexts.close}</Button>
      </div>
    </Dialog>
  );
}
