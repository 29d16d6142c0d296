import { useCall } from '../../api/queries.ts';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/values/time.tsx';
import { ManagedList } from './managed-list.tsx';

/** Secrets: their names and when they changed. Nothing shows a value. */
export function Secrets() {
  return (
    <ManagedList
      title="Secrets"
      of={useCall('GET /v1/secrets')}
      rowsOf={({ data }) => data}
      copyId="Copy secret ID"
      nameOf={({ key }) => key}
      columns={[
        { title: 'Name', cell: ({ key }) => <code>{key}</code> },
        { title: 'Description', cell: ({ description }) => <bdi>{description}</bdi>, isExtra: true },
        { title: 'Status', cell: ({ status }) => <Status of={status} /> },
        {
          title: 'Updated',
          cell: ({ lastRotatedAt, createdAt }) => <Time at={lastRotatedAt ?? createdAt} />,
          isExtra: true,
        },
      ]}
      empty={{
        title: 'No secrets',
        text: (
          <p>
            A secret is a password or a key that flows send to other services. Flows name it as{' '}
            <code>{'{{secret:NAME}}'}</code>; its value goes in and never comes out.
          </p>
        ),
      }}
      create={{ title: 'Create secret', route: 'POST /v1/secrets', value: { key: '', value: '' } }}
      change={({ id, key, description, version }) => ({
        title: `Edit ${key}`,
        route: 'PUT /v1/secrets/{id}',
        params: { id },
        value: { ...(description && { description }), expectedVersion: version },
        hidden: ['expectedVersion'],
        shown: ['value', 'description'],
      })}
      remove={{
        route: 'DELETE /v1/secrets/{id}',
        noun: 'secret',
        question: 'Flows that name a deleted secret fail from now on.',
        changes: ['secrets'],
      }}
    />
  );
}
