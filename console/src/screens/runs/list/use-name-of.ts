import { useCall, usePages } from '../../../api/queries.ts';
import type { FilterName } from '../data/filters.ts';

/** The things by whose names one filters. */
const one = {
  flowId: 'GET /v1/flows/{id}',
  agentId: 'GET /v1/agents/{id}',
  toolId: 'GET /v1/tools/{id}',
  productId: 'GET /v1/products/{id}',
  apiKeyId: 'GET /v1/api-keys/{id}',
} as const;
const all = {
  flowId: 'GET /v1/flows',
  agentId: 'GET /v1/agents',
  toolId: 'GET /v1/tools',
  productId: 'GET /v1/products',
} as const;
type Named = keyof typeof one;

const isNamed = (name: FilterName): name is Named => Object.hasOwn(one, name);

/** The name behind the id of a filter, as soon as it is known. */
export function useNameOf(name: FilterName, id = ''): string | undefined {
  const enabled = isNamed(name) && /^[a-z]+_[0-9a-z]{26}$/.test(id);
  const route = isNamed(name) ? one[name] : one.flowId;
  const found = useCall(route, { params: { id } }, { enabled });
  return enabled ? (found.data as { name?: string } | undefined)?.name : undefined;
}

interface Item {
  id: string;
  name: string;
}

/** What to choose from; empty where the API has no list. */
export function useNamed(name: FilterName): { items: readonly Item[]; isLoading: boolean } {
  const isListed = Object.hasOwn(all, name);
  const route = isListed ? all[name as keyof typeof all] : all.flowId;
  const listed = usePages(route, {}, { enabled: isListed, limit: 100 });
  const isKey = name === 'apiKeyId';
  const keys = useCall('GET /v1/api-keys', {}, { enabled: isKey });
  if (isKey) return { items: keys.data?.apiKeys ?? [], isLoading: keys.isLoading };
  return { items: (isListed && listed.rows) || [], isLoading: isListed && listed.isLoading };
}
