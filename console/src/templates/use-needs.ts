import type { OperationResponse } from '../api/api.ts';
import { useCall } from '../api/queries.ts';
import type { TemplateNeed } from './template.ts';

const asksOften = { everyMs: 60_000 };

/** What answers the model `default`. The stand-in of a stack on one's own machine is no language model. */
export type DefaultModel = 'none' | 'stand-in' | 'model';

/**
 * Undefined until it is known, and for those who may not see it. The list of model configs creates the default one when
 * it is first asked for, so it is not asked for before there is a key: the default would then be a model without one.
 */
export function useDefaultModel(): DefaultModel | undefined {
  const catalog = useCall('model-configs.grouped', {}, asksOften);
  const stored = useCall('provider-keys.list', {}, asksOften);
  const hasKey =
    catalog.data && stored.data ? isUsable(catalog.data) || stored.data.providerKeys.length > 0 : undefined;
  const configs = useCall('model-configs.list', {}, { enabled: hasKey === true });
  if (hasKey === false) return 'none';
  return hasKey && configs.data && modelOf(configs.data);
}

function modelOf({ data }: OperationResponse<'model-configs.list'>): DefaultModel {
  const chosen = data.find(({ isDefault, isEnabled }) => isDefault && isEnabled);
  if (!chosen || chosen.keyStatus === 'needs_setup') return 'none';
  return chosen.provider === 'generic-openai' && chosen.modelId === 'stand-in' ? 'stand-in' : 'model';
}

const isUsable = ({ data, stats }: OperationResponse<'model-configs.grouped'>) =>
  stats.providersWithPlatformKeys.length > 0 ||
  data.some(
    ({ isConfigured, providers }) =>
      isConfigured || providers.some(({ keyStatus }) => keyStatus && keyStatus !== 'needs_setup'),
  );

/** What a workspace lacks of what templates need, as far as one may see it. */
export function useMissing(model: DefaultModel | undefined): TemplateNeed[] {
  const search = useCall('model-configs.search-configured');
  return [
    ...(model === 'none' ? (['model'] as const) : []),
    ...(search.data?.total === 0 ? (['web-search'] as const) : []),
  ];
}
