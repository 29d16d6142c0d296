import { useCall } from '../../api/queries.ts';
import { Status } from '../../ui/status.tsx';
import { count } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';
import { ManagedList } from './managed-list.tsx';

/** The tenant's own keys of model and search providers. Nothing shows a value. */
export function ProviderKeys() {
  const changes = ['provider-keys', 'model-configs'];
  return (
    <ManagedList
      title="Provider keys"
      of={useCall('GET /v1/provider-keys')}
      rowsOf={({ providerKeys }) => providerKeys}
      copyId="Copy provider key ID"
      nameOf={({ name }) => name}
      columns={[
        { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
        { title: 'Provider', cell: ({ provider }) => provider },
        { title: 'Key', cell: ({ keyPreview }) => <code>{keyPreview}</code>, isExtra: true },
        {
          title: 'Status',
          cell: ({ isActive, isDefault }) => (
            <Status of={isActive ? (isDefault ? 'active, default' : 'active') : 'off'} />
          ),
        },
        { title: 'Calls', cell: ({ usageCount }) => count(usageCount), isNumber: true, isExtra: true },
        { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />, isExtra: true },
      ]}
      empty={{
        title: 'No provider keys',
        text: <p>Models use the keys of this deployment, or the key of a provider that you add here.</p>,
      }}
      create={{ title: 'Add provider key', route: 'POST /v1/provider-keys', changes }}
      change={({ id, name, isActive, isDefault }) => ({
        title: `Edit ${name}`,
        route: 'PATCH /v1/provider-keys/{id}',
        params: { id },
        changes,
        value: { name, isActive, isDefault },
      })}
      remove={{
        route: 'DELETE /v1/provider-keys/{id}',
        noun: 'provider key',
        question: 'Models that use only a deleted key fail from now on.',
        changes,
      }}
    />
  );
}
