import { useCall } from '../../api/queries.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { StatusLabel } from '../../ui/status.tsx';
import { Time } from '../../ui/values/time.tsx';
import { ManagedList } from './managed-list.tsx';

/** Secrets: their names and when they changed. Nothing shows a value. */
export function Secrets() {
  return (
    <ManagedList
      title={sharedTexts.secrets}
      of={useCall('secrets.list')}
      rowsOf={({ data }) => data}
      copyId={settingsTexts.copySecretId}
      nameOf={({ key }) => key}
      columns={[
        { title: sharedTexts.name, cell: ({ key }) => <code>{key}</code> },
        {
          title: sharedTexts.description,
          cell: ({ description }) => <bdi>{description}</bdi>,
          isExtra: true,
        },
        { title: sharedTexts.status, cell: ({ status }) => <StatusLabel of={status} /> },
        {
          title: sharedTexts.updated,
          cell: ({ lastRotatedAt, createdAt }) => <Time at={lastRotatedAt ?? createdAt} />,
          isExtra: true,
        },
      ]}
      empty={{
        title: settingsTexts.noSecrets,
        text: <p>{settingsTexts.aboutSecrets(<code>{'{{secret:NAME}}'}</code>)}</p>,
      }}
      create={{ title: sharedTexts.createSecret, operation: 'secrets.create', value: { key: '', value: '' } }}
      change={({ id, key, description, version }) => ({
        title: sharedTexts.editNamed(key),
        operation: 'secrets.update',
        params: { id },
        value: { ...(description && { description }), expectedVersion: version },
        hidden: ['expectedVersion'],
        shown: ['value', 'description'],
      })}
      remove={{
        operation: 'secrets.delete',
        counted: settingsTexts.secretCount,
        question: settingsTexts.flowsFail,
        changes: ['secrets'],
      }}
    />
  );
}
