import type { AnswerOf } from '../api/api.ts';
import { useCall } from '../api/queries.ts';
import type { Need } from './template.ts';

/** Undefined until it is known, and for those who may not see it. */
type Answer = boolean | undefined;

const asksOften = { everyMs: 60_000 };

/**
 * Whether the model `default` answers. The list of model configs creates the default one when it is first asked for, so
 * it is not asked for before there is a key: the default would then be a model without one.
 */
export function useHasModel(): Answer {
  const catalog = useCall('GET /v1/model-configs/grouped', {}, asksOften);
  const own = useCall('GET /v1/provider-keys', {}, asksOften);
  const hasKey =
    catalog.data && own.data ? isUsable(catalog.data) || own.data.providerKeys.length > 0 : undefined;
  const configs = useCall('GET /v1/model-configs', {}, { enabled: hasKey === true });
  if (hasKey !== true) return hasKey;
  return configs.data?.data.some(
    ({ isDefault, isEnabled, keyStatus }) => isDefault && isEnabled && keyStatus !== 'needs_setup',
  );
}

const isUsable = ({ data, stats }: AnswerOf<'GET /v1/model-configs/grouped'>) =>
  stats.providersWithPlatformKeys.length > 0 ||
  data.some(
    ({ isConfigured, providers }) =>
      isConfigured || providers.some(({ keyStatus }) => keyStatus && keyStatus !== 'needs_setup'),
  );

/** What a workspace has of what templates need. */
export function useNeeds(): Record<Need, Answer> {
  const search = useCall('GET /v1/model-configs/search-configured');
  return { model: useHasModel(), 'web-search': search.data && search.data.total > 0 };
}
