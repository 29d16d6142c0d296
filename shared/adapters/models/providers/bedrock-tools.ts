import type { LanguageModelV4 } from '@ai-sdk/provider';
import { parseExact } from '../../../core/json/exact-json.ts';

type Fetch = typeof globalThis.fetch;
type Request = Record<string, unknown> & { toolConfig?: { tools: object[] } };

/** A member of a request's body that asks for a cache point after its tools, which the SDK cannot express (D130). */
export const cachePointAfterTools = 'cachePointAfterTools';

/** A model of the SDK that replaces the member by the cache point, before the request is signed. */
export function addCachePointAfterTools(model: LanguageModelV4): LanguageModelV4 {
  const { config } = model as unknown as { config: { fetch: Fetch } };
  const { fetch } = config;
  config.fetch = (url, init) => fetch(url, markBody(init));
  return model;
}

function markBody(init: RequestInit | undefined): RequestInit | undefined {
  const body = init?.body;
  if (typeof body !== 'string' || !body.includes(`"${cachePointAfterTools}":`)) return init;
  const { [cachePointAfterTools]: isAsked, ...request } = parseExact(body) as Request;
  if (isAsked) request.toolConfig?.tools.push({ cachePoint: { type: 'default' } });
  return { ...init, body: JSON.stringify(request) };
}
