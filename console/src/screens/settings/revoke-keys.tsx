import { useApi } from '../../api/api.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { actOnEach } from '../../ui/selection/act-on-all.ts';
import { BulkButton } from '../../ui/selection/bulk-button.tsx';
import type { RowSelection } from '../../ui/selection/use-selection.ts';
import type { ApiKey } from './api-keys.tsx';

/** Revokes the selected keys that are active. They stay in the list, and can be activated again. */
export function RevokeKeys({ selection }: { selection: RowSelection<ApiKey> }) {
  const api = useApi();
  return (
    <BulkButton
      selection={selection}
      rows={selection.rows.filter(({ isActive }) => isActive)}
      titleOf={settingsTexts.revokeQuestion}
      question={settingsTexts.revokedKeysAreRefused}
      progressOf={settingsTexts.revokedOf}
      act={actOnEach(({ id }) => api.apiKeys.update({ params: { id }, body: { isActive: false } }))}
      changes={['api-keys']}
      successOf={settingsTexts.keysRevoked}
    >
      {settingsTexts.revoke}
    </BulkButton>
  );
}
