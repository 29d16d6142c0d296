import { useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { useAction, useCall } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { ShownOnceDialog } from '../../ui/dialogs/shown-once.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/values/time.tsx';
import { ManagedList } from './managed-list.tsx';
import { permissionsField } from './permissions-field.tsx';
import { RevokeKeys } from './revoke-keys.tsx';

export type ApiKey = AnswerOf<'GET /v1/api-keys'>['apiKeys'][number];

/** API keys: create, change, rotate, delete. A value is shown once. */
export function ApiKeys() {
  const [value, setValue] = useState<string>();
  const rotate = useAction('POST /v1/api-keys/{id}/regenerate', {
    onSuccess: ({ plainKey }) => setValue(plainKey),
  });
  return (
    <ManagedList
      title="API keys"
      of={useCall('GET /v1/api-keys')}
      rowsOf={({ apiKeys }) => apiKeys}
      copyId="Copy API key ID"
      nameOf={({ name }) => name}
      columns={[
        { title: 'Name', cell: (key) => <bdi>{key.name}</bdi> },
        { title: 'Key', cell: ({ maskedKey }) => <code>{maskedKey}</code>, isExtra: true },
        { title: 'Status', cell: (key) => <Status of={statusOf(key)} /> },
        { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />, isExtra: true },
      ]}
      empty={{
        title: 'No API keys',
        text: <p>Programs call the API with a key. Each key says what it may do.</p>,
      }}
      create={{
        title: 'Create key',
        route: 'POST /v1/api-keys',
        custom: permissionsField,
        shown: ['permissions', 'environment'],
        onSaved: ({ plainKey }) => setValue(plainKey),
      }}
      change={({ id, name, permissions, isActive }) => ({
        title: `Edit ${name}`,
        route: 'PUT /v1/api-keys/{id}',
        params: { id },
        value: { name, permissions, isActive },
        custom: permissionsField,
      })}
      remove={{
        route: 'DELETE /v1/api-keys/{id}',
        noun: 'API key',
        question: 'Programs that use a deleted key are refused at once.',
        changes: ['api-keys'],
      }}
      moreForMany={(selection) => <RevokeKeys selection={selection} />}
      more={(key) => (
        <ConfirmButton
          look="quiet"
          title={`Rotate ${key.name}?`}
          question="The present value is refused from now on. Programs that use it need the new one."
          confirm="Rotate"
          action={() => rotate.mutateAsync({ params: { id: key.id } })}
        >
          Rotate
        </ConfirmButton>
      )}
    >
      <ShownOnceDialog title="The new key" value={value} onClose={() => setValue(undefined)} />
    </ManagedList>
  );
}

function statusOf({ isActive, expiresAt, isTestKey }: ApiKey): string {
  if (!isActive) return 'revoked';
  if (expiresAt && new Date(expiresAt) < new Date()) return 'expired';
  return isTestKey ? 'active, test' : 'active';
}
