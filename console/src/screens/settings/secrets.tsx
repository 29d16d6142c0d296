import { useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { useAction, useCall } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Empty, Loaded } from '../../ui/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { SettingsPage } from './settings-page.tsx';

type Secret = AnswerOf<'GET /v1/secrets'>['data'][number];

/** Secrets: their names and when they changed. Nothing shows a value. */
export function Secrets() {
  const secrets = useCall('GET /v1/secrets');
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<Secret>();
  const remove = useAction('DELETE /v1/secrets/{id}', { onSuccess: () => notify('The secret is deleted') });

  return (
    <SettingsPage
      title="Secrets"
      actions={
        <Button look="primary" onPress={() => setCreating(true)}>
          Create a secret
        </Button>
      }
    >
      <Loaded of={secrets}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No secrets">
              <p>
                A secret is a password or a key that flows send to other services. Flows name it as{' '}
                <code>{'{{secret:NAME}}'}</code>; its value goes in and never comes out.
              </p>
            </Empty>
          ) : (
            <Table
              label="Secrets"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Name', cell: ({ key }) => <code>{key}</code> },
                { title: 'Description', cell: ({ description }) => <bdi>{description}</bdi>, isExtra: true },
                { title: 'Status', cell: ({ status }) => <Status of={status} /> },
                {
                  title: 'Changed',
                  cell: ({ lastRotatedAt, createdAt }) => <Time at={lastRotatedAt ?? createdAt} />,
                  isExtra: true,
                },
                {
                  title: 'Actions',
                  cell: (secret) => (
                    <span className="actions">
                      <Button
                        look="quiet"
                        aria-label={`Change ${secret.key}`}
                        onPress={() => setEdited(secret)}
                      >
                        Change
                      </Button>
                      <ConfirmButton
                        look="quiet"
                        title={`Delete ${secret.key}?`}
                        question="Flows that name it fail from now on. This cannot be undone."
                        confirm="Delete"
                        action={() => remove.mutateAsync({ params: { id: secret.id } })}
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
        title="Create a secret"
        route="POST /v1/secrets"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        value={{ key: '', value: '' }}
        submit="Create"
      />
      {edited && (
        <EditDialog
          title={`Change ${edited.key}`}
          route="PUT /v1/secrets/{id}"
          params={{ id: edited.id }}
          value={{ description: edited.description ?? '', value: '', expectedVersion: edited.version }}
          hidden={['expectedVersion']}
          isOpen
          onClose={() => setEdited(undefined)}
        />
      )}
    </SettingsPage>
  );
}
