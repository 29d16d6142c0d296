import { useCall } from '../../api/queries.ts';
import { countText } from '../../texts/language.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { StatusLabel } from '../../ui/status.tsx';
import { Time } from '../../ui/values/time.tsx';
import { ManagedList } from './managed-list.tsx';

/** The tenant's own keys of model and search providers. Nothing shows a value. */
export function ProviderKeys() {
  const changes = ['provider-keys', 'model-configs'];
  return (
    <ManagedList
      title={sharedTexts.providerKeys}
      of={useCall('provider-keys.list')}
      rowsOf={({ providerKeys }) => providerKeys}
      copyId={settingsTexts.copyProviderKeyId}
      nameOf={({ name }) => name}
      columns={[
        { title: sharedTexts.name, cell: ({ name }) => <bdi>{name}</bdi> },
        { title: sharedTexts.provider, cell: ({ provider }) => provider },
        { title: sharedTexts.key, cell: ({ keyPreview }) => <code>{keyPreview}</code>, isExtra: true },
        {
          title: sharedTexts.status,
          cell: ({ isActive, isDefault }) => (
            <StatusLabel of={isActive ? (isDefault ? 'active-default' : 'active') : 'off'} />
          ),
        },
        {
          title: sharedTexts.calls,
          cell: ({ usageCount }) => countText(usageCount),
          isNumber: true,
          isExtra: true,
        },
        { title: sharedTexts.lastUsed, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />, isExtra: true },
      ]}
      empty={{
        title: settingsTexts.noProviderKeys,
        text: <p>{settingsTexts.aboutProviderKeys}</p>,
      }}
      create={{ title: settingsTexts.addProviderKey, operation: 'provider-keys.create', changes }}
      change={({ id, name, isActive, isDefault, limits }) => ({
        title: sharedTexts.editNamed(name),
        operation: 'provider-keys.update',
        params: { id },
        changes,
        value: { name, isActive, isDefault, limits },
      })}
      remove={{
        operation: 'provider-keys.delete',
        counted: settingsTexts.providerKeyCount,
        question: settingsTexts.modelsFail,
        changes,
      }}
    />
  );
}
