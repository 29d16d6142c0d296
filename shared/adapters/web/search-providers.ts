import * as z from 'zod';
import type { HttpRequest, SearchProvider } from '../ports/http-port.ts';
import { plainText } from './page.ts';

export interface SearchHit {
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
        ...published(publishedDate),
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
        ...published(published_date),
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
        ...published(page_age),
      })),
    ),
};

export const searchProviderApis: Record<SearchProvider, Provider> = { exa, tavily, brave };

/** The publication time as ISO 8601, if the provider reports one. Without a time zone it is UTC. */
function published(when: string | null | undefined): Pick<SearchHit, 'publishedAt'> {
  const at = new Date(/T[\d:.]+$/.test(when ?? '') ? `${when}Z` : (when ?? ''));
  return Number.isNaN(at.getTime()) ? {} : { publishedAt: at.toISOString() };
}
