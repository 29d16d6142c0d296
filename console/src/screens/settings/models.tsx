import { useAction, useCall } from '../../api/queries.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { notify } from '../../ui/notices.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { dollars } from '../../ui/values/format.ts';
import { ManagedList } from './managed-list.tsx';

const perMillion = (per1k: number | undefined) =>
  per1k === undefined ? sharedTexts.unknown : dollars(per1k * 1_000);

/** The models that flows and agents may name, with their prices. */
export function Models() {
  const options = { changes: ['model-configs'] };
  const setDefault = useAction('model-configs.set-default', {
    ...options,
    onSuccess: () => notify(settingsTexts.defaultModelChanged),
  });
  const setStatus = useAction('model-configs.set-status', options);
  const error = setDefault.error ?? setStatus.error;
  return (
    <ManagedList
      title={sharedTexts.models}
      of={useCall('model-configs.list')}
      rowsOf={({ data }) => data}
      copyId={settingsTexts.copyModelConfigId}
      nameOf={({ displayName }) => displayName}
      columns={[
        { title: sharedTexts.model, cell: ({ displayName }) => <bdi>{displayName}</bdi> },
        { title: sharedTexts.provider, cell: ({ provider }) => provider, isExtra: true },
        {
          title: settingsTexts.inPerMillionTokens,
          cell: ({ inputCostPer1kTokens }) => perMillion(inputCostPer1kTokens),
          isNumber: true,
          isExtra: true,
        },
        {
          title: settingsTexts.outPerMillionTokens,
          cell: ({ outputCostPer1kTokens }) => perMillion(outputCostPer1kTokens),
          isNumber: true,
          isExtra: true,
        },
        {
          title: sharedTexts.status,
          cell: ({ isEnabled, isDefault, keyStatus }) => (
            <StatusLabel of={keyStatus === 'needs_setup' ? 'needs-key' : statusOf(isEnabled, isDefault)} />
          ),
        },
      ]}
      empty={{
        title: settingsTexts.noModelsConfigured,
        text: <p>{settingsTexts.aboutModels}</p>,
      }}
      create={{ title: settingsTexts.addModel, operation: 'model-configs.create', ...options }}
      change={({ id, displayName, isDefault, isEnabled, settings, limits }) => ({
        title: sharedTexts.editNamed(displayName),
        operation: 'model-configs.update',
        params: { id },
        ...options,
        value: { isDefault, isEnabled, settings, limits },
      })}
      remove={{
        operation: 'model-configs.delete',
        counted: settingsTexts.modelConfigCount,
        question: settingsTexts.modelOfFlowsFails,
        ...options,
      }}
      more={({ id, displayName, isDefault, isEnabled }) => (
        <>
          {!isDefault && isEnabled && (
            <Button
              look="quiet"
              aria-label={settingsTexts.makeDefaultNamed(displayName)}
              onPress={() => setDefault.mutate({ params: { id } })}
            >
              {settingsTexts.makeDefault}
            </Button>
          )}
          <Button
            look="quiet"
            aria-label={(isEnabled ? settingsTexts.turnOffNamed : settingsTexts.turnOnNamed)(displayName)}
            onPress={() => setStatus.mutate({ params: { id }, body: { isEnabled: !isEnabled } })}
          >
            {isEnabled ? settingsTexts.turnOff : settingsTexts.turnOn}
          </Button>
        </>
      )}
    >
      {error && <FailureNotice error={error} />}
    </ManagedList>
  );
}

const statusOf = (isEnabled: boolean, isDefault: boolean) =>
  isEnabled ? (isDefault ? 'active-default' : 'active') : 'off';
