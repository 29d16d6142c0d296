import { failureOfStatus, StepError } from '../../core/errors/step-error.ts';
import { answeredJson } from '../../core/json/json.ts';
import type { HttpResponse, SearchProvider } from '../ports/http-port.ts';
import type { Ports } from '../ports/ports.ts';
import { type SearchHit, searchProviderApis } from './search-providers.ts';

export interface Search {
  provider: SearchProvider;
  query: string;
  maxResults: number;
  ports: Pick<Ports, 'fetch' | 'searchAccount'>;
  signal: AbortSignal;
}

/** Queries a search provider. The account's key appears in no error. @throws StepError */
export async function querySearchProvider({
  provider,
  query,
  maxResults,
  ports,
  signal,
}: Search): Promise<SearchHit[]> {
  const account = await ports.searchAccount(provider);
  const { request, hits } = searchProviderApis[provider];
  const answer = await ports.fetch({ ...request(account, query, maxResults), timeoutMs: 30_000, signal });
  if (answer.status >= 400) throw refusal(provider, answer, account.key);
  const parsed = hits.safeParse(answeredJson(answer.text, 'The search'));
  if (!parsed.success) throw new StepError(`${provider} returned an unknown response format`);
  return parsed.data.slice(0, maxResults);
}

function refusal(provider: SearchProvider, { status, text, headers }: HttpResponse, key: string): StepError {
  if (status === 401 || status === 403) {
    return new StepError(`${provider} rejected the API key with ${status}`);
  }
  const start = text.replaceAll(key, '…').trim().slice(0, 300);
  return new StepError(`${provider} answered ${status}${start && `: ${start}`}`, {
    ...failureOfStatus(status, headers['retry-after']),
  });
}
