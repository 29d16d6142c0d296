import { useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { useAction, useCall } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty, Loaded } from '../../ui/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { permissionsField } from './permissions-field.tsx';
import { SettingsPage } from './settings-page.tsx';

type ApiKey = AnswerOf<'GET /v1/api-keys'>['apiKeys'][number];

/** API keys: create, change, rotate, delete. A value is shown once. */
export function ApiKeys() {
  const keys = useCall('GET /v1/api-keys');
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<ApiKey>();
  const [value, setValue] = useState<string>();
  const rotate = useAction('POST /v1/api-keys/{id}/regenerate', {
    onSuccess: ({ plainKey }) => setValue(plainKey),
  });
  const remove = useAction('DELETE /v1/api-keys/{id}', { onSuccess: () => notify('The key is deleted') });

  return (
    <SettingsPage
      title="API keys"
      actions={
        <Button look="primary" onPress={() => setCreating(true)}>
          Create a key
        </Button>
      }
    >
      <Loaded of={keys}>
        {({ apiKeys }) =>
          apiKeys.length === 0 ? (
            <Empty title="No API keys">
              <p>Programs call the API with a key. Each key says what it may do.</p>
            </Empty>
          ) : (
            <Table
              label="API keys"
              rows={apiKeys}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Name', cell: (key) => <bdi>{key.name}</bdi> },
                { title: 'Key', cell: ({ maskedKey }) => <code>{maskedKey}</code>, isExtra: true },
                { title: 'Status', cell: (key) => <Status of={statusOf(key)} /> },
                { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />, isExtra: true },
                {
                  title: 'Actions',
                  cell: (key) => (
                    <span className="actions">
                      <Button look="quiet" aria-label={`Change ${key.name}`} onPress={() => setEdited(key)}>
                        Change
                      </Button>
                      <ConfirmButton
                        look="quiet"
                        title={`Rotate ${key.name}?`}
                        question="The present value is refused from now on. Programs that use it need the new one."
                        confirm="Rotate"
                        action={() => rotate.mutateAsync({ params: { id: key.id } })}
                      >
                        Rotate
                      </ConfirmButton>
                      <ConfirmButton
                        look="quiet"
                        title={`Delete ${key.name}?`}
                        question="Programs that use this key are refused at once. This cannot be undone."
                        confirm="Delete"
                        action={() => remove.mutateAsync({ params: { id: key.id } })}
                      >
                        Delete
                      </ConfirmButton>
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <EditDialog
        title="Create an API key"
        route="POST /v1/api-keys"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        onSaved={({ plainKey }) => setValue(plainKey)}
        custom={permissionsField}
        submit="Create"
      />
      {edited && (
        <EditDialog
          title={`Change ${edited.name}`}
          route="PUT /v1/api-keys/{id}"
          params={{ id: edited.id }}
          value={{ name: edited.name, permissions: edited.permissions, isActive: edited.isActive }}
          isOpen
          onClose={() => setEdited(undefined)}
          custom={permissionsField}
        />
      )}
      <Dialog
        title="The new key"
        isOpen={value !== undefined}
        onClose={() => setValue(undefined)}
        role="alertdialog"
      >
        <ShownOnce value={value ?? ''} />
        <div className="actions">
          <Button look="primary" onPress={() => setValue(undefined)}>
            I stored it
          </Button>
        </div>
      </Dialog>
    </SettingsPage>
  );
}

function statusOf({ isActive, expiresAt, isTestKey }: ApiKey): string {
  if (!isActive) return 'revoked';
  if (expiresAt && new Date(expiresAt) < new Date()) return 'expired';
  return isTestKey ? 'active, test' : 'active';
}
