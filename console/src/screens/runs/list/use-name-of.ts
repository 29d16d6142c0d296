import { useCall, usePages } from '../../../api/queries.ts';
import type { FilterName } from '../data/filters.ts';

/** The things by whose names one filters. */
const one = {
  flowId: 'flows.get',
  agentId: 'agents.get',
  toolId: 'tools.get',
  productId: 'products.get',
  apiKeyId: 'api-keys.get',
} as const;
const all = {
  flowId: 'flows.list',
  agentId: 'agents.list',
  toolId: 'tools.list',
  productId: 'products.list',
} as const;
type Named = keyof typeof one;

const isNamed = (name: FilterName): name is Named => Object.hasOwn(one, name);

/** The name behind the id of a filter, as soon as it is known. */
export function useResourceName(name: FilterName, id = ''): string | undefined {
  const enabled = isNamed(name) && /^[a-z]+_[0-9a-z]{26}$/.test(id);
  const operation = isNamed(name) ? one[name] : one.flowId;
  const found = useCall(operation, { params: { id } }, { enabled });
  return enabled ? (found.data as { name?: string } | undefined)?.name : undefined;
}

interface Item {
  id: string;
  name: string;
}

/** What to choose from; empty where the API has no list. */
export function useNamed(name: FilterName): { items: readonly Item[]; isLoading: boolean } {
  const isListed = Object.hasOwn(all, name);
  const operation = isListed ? all[name as keyof typeof all] : all.flowId;
  const listed = usePages(operation, {}, { enabled: isListed, limit: 100 });
  const isKey = name === 'apiKeyId';
  const keys = useCall('api-keys.list', {}, { enabled: isKey });
  if (isKey) return { items: keys.data?.apiKeys ?? [], isLoading: keys.isLoading };
  return { items: (isListed && listed.rows) || [], isLoading: isListed && listed.isLoading };
}
