import { useApi } from '../../api/api.ts';
import { menuTexts } from '../../texts/menus.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/forms/button.tsx';

/** What the session may do, as its issuer says. */
export function PermissionsDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
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
