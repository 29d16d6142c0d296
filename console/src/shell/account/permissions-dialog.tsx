import { useApi } from '../../api/api.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/forms/button.tsx';

/** What the session may do, as its issuer says. */
export function PermissionsDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { permissions } = useApi().credential;
  return (
    <Dialog title="Permissions" isOpen={isOpen} onClose={onClose}>
      {permissions === null ? (
        <p>An API key has the permissions with which it was created. Settings → API keys lists them.</p>
      ) : permissions.includes('*') ? (
        <p>This session may do everything.</p>
      ) : permissions.length === 0 ? (
        <p>This session may do nothing. Ask whoever runs this deployment for permissions.</p>
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
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
