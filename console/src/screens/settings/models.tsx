import { useAction, useCall } from '../../api/queries.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Failure } from '../../ui/loading/failure.tsx';
import { notify } from '../../ui/notices.tsx';
import { Status } from '../../ui/status.tsx';
import { dollars } from '../../ui/values/format.ts';
import { ManagedList } from './managed-list.tsx';

const perMillion = (per1k: number | undefined) => (per1k === undefined ? 'unknown' : dollars(per1k * 1_000));

/** The models that flows and agents may name, with their prices. */
export function Models() {
  const options = { changes: ['model-configs'] };
  const setDefault = useAction('PATCH /v1/model-configs/{id}/default', {
    ...options,
    onSuccess: () => notify('Default model changed'),
  });
  const setStatus = useAction('PATCH /v1/model-configs/{id}/status', options);
  const error = setDefault.error ?? setStatus.error;
  return (
    <ManagedList
      title="Models"
      of={useCall('GET /v1/model-configs')}
      rowsOf={({ data }) => data}
      copyId="Copy model config ID"
      nameOf={({ displayName }) => displayName}
      columns={[
        { title: 'Model', cell: ({ displayName }) => <bdi>{displayName}</bdi> },
        { title: 'Provider', cell: ({ provider }) => provider, isExtra: true },
        {
          title: 'In, per million tokens',
          cell: ({ inputCostPer1kTokens }) => perMillion(inputCostPer1kTokens),
          isNumber: true,
          isExtra: true,
        },
        {
          title: 'Out, per million tokens',
          cell: ({ outputCostPer1kTokens }) => perMillion(outputCostPer1kTokens),
          isNumber: true,
          isExtra: true,
        },
        {
          title: 'Status',
          cell: ({ isEnabled, isDefault, keyStatus }) => (
            <Status of={keyStatus === 'needs_setup' ? 'needs a key' : statusOf(isEnabled, isDefault)} />
          ),
        },
      ]}
      empty={{
        title: 'No models configured',
        text: (
          <p>
            Flows and agents may name any model of the catalog. Configure one here to set a default, its key,
            or its settings.
          </p>
        ),
      }}
      create={{ title: 'Add model', route: 'POST /v1/model-configs', ...options }}
      change={({ id, displayName, isDefault, isEnabled, settings }) => ({
        title: `Edit ${displayName}`,
        route: 'PUT /v1/model-configs/{id}',
        params: { id },
        ...options,
        value: { isDefault, isEnabled, settings },
      })}
      remove={{
        route: 'DELETE /v1/model-configs/{id}',
        noun: 'model config',
        question: 'Flows and agents that name a deleted configuration fail from now on.',
        ...options,
      }}
      more={({ id, displayName, isDefault, isEnabled }) => (
        <>
          {!isDefault && isEnabled && (
            <Button
              look="quiet"
              aria-label={`Make default: ${displayName}`}
              onPress={() => setDefault.mutate({ params: { id } })}
            >
              Make default
            </Button>
          )}
          <Button
            look="quiet"
            aria-label={`Turn ${isEnabled ? 'off' : 'on'} ${displayName}`}
            onPress={() => setStatus.mutate({ params: { id }, body: { isEnabled: !isEnabled } })}
          >
            {isEnabled ? 'Turn off' : 'Turn on'}
          </Button>
        </>
      )}
    >
      {error && <Failure error={error} />}
    </ManagedList>
  );
}

const statusOf = (isEnabled: boolean, isDefault: boolean) =>
  isEnabled ? (isDefault ? 'active, default' : 'active') : 'off';
