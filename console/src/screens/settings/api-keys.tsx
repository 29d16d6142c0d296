import { useState } from 'react';
import { type OperationResponse, useApi } from '../../api/api.ts';
import { useAction, useCall } from '../../api/queries.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { ShownOnceDialog } from '../../ui/dialogs/shown-once.tsx';
import { CheckField } from '../../ui/forms/check.tsx';
import { Loaded } from '../../ui/loading/loaded.tsx';
import type { CustomField } from '../../ui/schema-form/form-context.ts';
import { actOnEach } from '../../ui/selection/act-on-all.ts';
import { BulkButton } from '../../ui/selection/bulk-button.tsx';
import type { RowSelection } from '../../ui/selection/use-selection.ts';
import { StatusLabel } from '../../ui/status.tsx';
import { Time } from '../../ui/values/time.tsx';
import { ManagedList } from './managed-list.tsx';

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

/** Draws the member `permissions` of a form. */
const permissionsField = ({ name, ...field }: CustomField) =>
  name === 'permissions' ? <PermissionsField {...field} /> : undefined;

function PermissionsField({ value, schema, onChange, problem }: Omit<CustomField, 'name'>) {
  const options = useCall('api-keys.options');
  const held = (value ?? schema.default ?? []) as readonly string[];
  const toggle = (permission: string, isOn: boolean) =>
    onChange(isOn ? [...held, permission] : held.filter((each) => each !== permission));
  return (
    <fieldset>
      <legend>{sharedTexts.permissions}</legend>
      {problem && <p className="problem">{problem}</p>}
      <Loaded of={options}>
        {({ permissionGroups }) =>
          permissionGroups.map((group) => (
            <details key={group.key} open={group.permissions.some((each) => held.includes(each))}>
              <summary>{group.label}</summary>
              {group.permissions.map((permission) => (
                <CheckField
                  key={permission}
                  label={<code>{permission}</code>}
                  isOn={held.includes(permission)}
                  onChange={(isOn) => toggle(permission, isOn)}
                />
              ))}
            </details>
          ))
        }
      </Loaded>
    </fieldset>
  );
}

/** Revokes the selected keys that are active. They stay in the list, and can be activated again. */
function RevokeKeys({ selection }: { selection: RowSelection<ApiKey> }) {
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
