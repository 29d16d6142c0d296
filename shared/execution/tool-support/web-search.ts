import type { SearchProvider } from '../../adapters/ports/http-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { querySearchProvider } from '../../adapters/web/search.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { searchServices } from '../../domain/tools/builtin/web-search.ts';

export interface WebSearch {
  query: string;
  maxResults?: number | undefined;
  /** Default: the first one that is configured. */
  service?: SearchProvider | undefined;
}

/** Searches the web. @throws StepError */
export async function searchWeb(
  { query, maxResults = 5, service }: WebSearch,
  { ports, signal }: { ports: Ports; signal: AbortSignal },
) {
  const asked = query.trim();
  if (!asked) throw new StepError('The query is blank');
  const provider = service ?? (await findFirstConfigured(ports));
  return querySearchProvider({ provider, query: asked, maxResults, ports, signal });
}

async function findFirstConfigured({ searchAccount }: Pick<Ports, 'searchAccount'>): Promise<SearchProvider> {
  for (const provider of searchServices) {
    try {
      await searchAccount(provider);
      return provider;
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
    }
  }
  const variables = searchServices.map((service) => `${service.toUpperCase()}_API_KEY`).join(', ');
  throw new StepError(
    `No search service is configured: store a key of one through POST /v1/provider-keys, or let the deployment set one of ${variables}`,
  );
}
