import * as z from 'zod';
import { failureOfStatus, StepError } from '../../core/errors/step-error.ts';
import { parseAnswerJson } from '../../core/json/json.ts';
import type { HttpRequest, HttpResponse, SearchProvider } from '../ports/http-port.ts';
import type { Ports } from '../ports/ports.ts';
import { plainText } from './page.ts';

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
  const parsed = hits.safeParse(parseAnswerJson(answer.text, 'The search'));
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

interface SearchHit {
  title: string;
  url: string;
  snippet: string;
  publishedAt?: string;
}

interface Provider {
  request: (
    account: { key: string; baseUrl: string },
    query: string,
    count: number,
  ) => Pick<HttpRequest, 'url' | 'method' | 'headers' | 'body'>;
  hits: z.ZodType<SearchHit[]>;
}

const text = z.string().nullish();
const json = { accept: 'application/json', 'content-type': 'application/json' };

/** https://exa.ai/docs/reference/search */
const exa: Provider = {
  request: ({ key, baseUrl }, query, numResults) => ({
    url: `${baseUrl}/search`,
    method: 'POST',
    headers: { ...json, 'x-api-key': key },
    body: JSON.stringify({ query, numResults, contents: { highlights: true } }),
  }),
  hits: z
    .object({
      results: z.array(
        z.object({
          title: text,
          url: z.string(),
          publishedDate: text,
          highlights: z.array(z.string()).nullish(),
        }),
      ),
    })
    .transform(({ results }) =>
      results.map(({ title, url, publishedDate, highlights }) => ({
        title: title ?? '',
        url,
        snippet: (highlights ?? []).join(' … '),
        ...parsePublishedAt(publishedDate),
      })),
    ),
};

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
const tavily: Provider = {
  request: ({ key, baseUrl }, query, max_results) => ({
    url: `${baseUrl}/search`,
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${key}` },
    body: JSON.stringify({ query, max_results }),
  }),
  hits: z
    .object({
      results: z.array(z.object({ title: text, url: z.string(), content: text, published_date: text })),
    })
    .transform(({ results }) =>
      results.map(({ title, url, content, published_date }) => ({
        title: title ?? '',
        url,
        snippet: content ?? '',
        ...parsePublishedAt(published_date),
      })),
    ),
};

/** https://api-dashboard.search.brave.com/documentation/services/web-search. Its texts are HTML. */
const brave: Provider = {
  request: ({ key, baseUrl }, q, count) => ({
    url: `${baseUrl}/web/search?${new URLSearchParams({ q, count: String(count), text_decorations: 'false' })}`,
    method: 'GET',
    headers: { accept: 'application/json', 'x-subscription-token': key },
  }),
  hits: z
    .object({
      // Brave omits `web` if there are no results.
      web: z
        .object({
          results: z.array(z.object({ title: text, url: z.string(), description: text, page_age: text })),
        })
        .nullish(),
    })
    .transform(({ web }) =>
      (web?.results ?? []).map(({ title, url, description, page_age }) => ({
        title: plainText(title ?? ''),
        url,
        snippet: plainText(description ?? ''),
        ...parsePublishedAt(page_age),
      })),
    ),
};

const searchProviderApis: Record<SearchProvider, Provider> = { exa, tavily, brave };

/** The publication time as ISO 8601, if the provider reports one. Without a time zone it is UTC. */
function parsePublishedAt(when: string | null | undefined): Pick<SearchHit, 'publishedAt'> {
  const at = new Date(/T[\d:.]+$/.test(when ?? '') ? `${when}Z` : (when ?? ''));
  return Number.isNaN(at.getTime()) ? {} : { publishedAt: at.toISOString() };
}
