import { useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useAction, useCall } from '../../api/queries.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { ShownOnceDialog } from '../../ui/dialogs/shown-once.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { Time } from '../../ui/values/time.tsx';
import { ManagedList } from './managed-list.tsx';
import { permissionsField } from './permissions-field.tsx';
import { RevokeKeys } from './revoke-keys.tsx';

export type ApiKey = OperationResponse<'api-keys.list'>['apiKeys'][number];

/** API keys: create, change, rotate, delete. A value is shown once. */
export function ApiKeys() {
  const [value, setValue] = useState<string>();
  const rotate = useAction('api-keys.regenerate', {
    onSuccess: ({ plainKey }) => setValue(plainKey),
  });
  return (
    <ManagedList
      title={sharedTexts.apiKeys}
      of={useCall('api-keys.list')}
      rowsOf={({ apiKeys }) => apiKeys}
      copyId={settingsTexts.copyApiKeyId}
      nameOf={({ name }) => name}
      columns={[
        { title: sharedTexts.name, cell: (key) => <bdi>{key.name}</bdi> },
        {
          title: sharedTexts.key,
          cell: ({ maskedKey }) => <code title={maskedKey}>{shortened(maskedKey)}</code>,
          isExtra: true,
        },
        { title: sharedTexts.permissions, cell: Permissions, isExtra: true },
        { title: sharedTexts.status, cell: (key) => <StatusLabel of={statusOf(key)} /> },
        { title: sharedTexts.lastUsed, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />, isExtra: true },
      ]}
      empty={{
        title: settingsTexts.noApiKeys,
        text: <p>{settingsTexts.aboutApiKeys}</p>,
      }}
      create={{
        title: sharedTexts.createKey,
        operation: 'api-keys.create',
        custom: permissionsField,
        shown: ['permissions', 'environment'],
        onSaved: ({ plainKey }) => setValue(plainKey),
      }}
      change={({ id, name, permissions, isActive }) => ({
        title: sharedTexts.editNamed(name),
        operation: 'api-keys.update',
        params: { id },
        value: { name, permissions, isActive },
        custom: permissionsField,
      })}
      remove={{
        operation: 'api-keys.delete',
        counted: settingsTexts.apiKeyCount,
        question: settingsTexts.deletedKeysAreRefused,
        changes: ['api-keys'],
      }}
      moreForMany={(selection) => <RevokeKeys selection={selection} />}
      more={(key) => (
        <ConfirmButton
          look="quiet"
          title={settingsTexts.rotateQuestion(key.name)}
          question={settingsTexts.keyIsReplaced}
          confirm={settingsTexts.rotate}
          action={() => rotate.mutateAsync({ params: { id: key.id } })}
        >
          {settingsTexts.rotate}
        </ConfirmButton>
      )}
    >
      <ShownOnceDialog title={settingsTexts.theNewKey} value={value} onClose={() => setValue(undefined)} />
    </ManagedList>
  );
}

/** On one line. */
const shortened = (masked: string) => masked.replace(/\*+/, '…');

const namedMost = 1;

/** The first of them; all where one points at it. */
function Permissions({ permissions }: ApiKey) {
  const more = permissions.length - namedMost;
  return (
    <span title={permissions.join(', ')}>
      <code>{permissions.slice(0, namedMost).join(', ')}</code>
      {more > 0 && ` ${settingsTexts.andMore(more)}`}
    </span>
  );
}

function statusOf({ isActive, expiresAt, isTestKey }: ApiKey): string {
  if (!isActive) return 'revoked';
  if (expiresAt && new Date(expiresAt) < new Date()) return 'expired';
  return isTestKey ? 'active-test' : 'active';
}
