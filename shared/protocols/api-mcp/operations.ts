import MiniSearch from 'minisearch';
import { createLoadingCache } from '../../core/cache.ts';
import { ApiDocument } from './api-client.ts';

type Described = ApiDocument['paths'][string][string];

/** An operation of the API that the tools offer. */
export interface ApiOperation extends Described {
  id: string;
  method: string;
  path: string;
  /** Whether it deletes something. */
  destructive: boolean;
}

export interface Operations {
  byId: ReadonlyMap<string, ApiOperation>;
  schemas: ApiDocument['components']['schemas'];
  search: (query: string) => ApiOperation[];
}

const foundMax = 10;
/** A process that has just started writes the document first. */
const loadMsMax = 30_000;

/** The document changes with a deployment, and with it the process. */
const loaded = createLoadingCache<Operations>({ entriesMax: 4, ttlMs: 600_000 });

/** @param excludedId The id of the operation that serves the tools: it cannot call itself. */
export const loadOperations = (baseUrl: string, excludedId: string): Promise<Operations> =>
  loaded(baseUrl, async () => {
    const response = await fetch(`${baseUrl}/openapi.json`, { signal: AbortSignal.timeout(loadMsMax) });
    if (!response.ok) throw new Error(`GET /openapi.json returned ${response.status}`);
    return indexOperations(ApiDocument.parse(await response.json()), excludedId);
  });

function indexOperations({ paths, components }: ApiDocument, excludedId: string): Operations {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): ApiOperation => ({
        ...operation,
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        destructive: operation['x-destructive'],
      }),
    ),
  );
  const offered = all.filter(({ id, security }) => id !== excludedId && takesCredential(security));
  const byId = new Map(offered.map((operation) => [operation.id, operation]));
  const index = new MiniSearch<ApiOperation>({
    fields: ['id', 'summary', 'path', 'description'],
    tokenize: (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u),
    searchOptions: { boost: { id: 4, summary: 3, path: 2 }, prefix: true, fuzzy: 0.2 },
  });
  index.addAll(offered);
  return {
    byId,
    schemas: components.schemas,
    search: (query) =>
      index
        .search(query)
        .slice(0, foundMax)
        .flatMap(({ id }) => byId.get(id) ?? []),
  };
}

/** Pages that anybody may open have no use for an assistant. */
const takesCredential = (security: Described['security']) =>
  security === undefined || security.some((each) => 'bearer' in each);
