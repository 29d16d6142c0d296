import LinkHeader from 'http-link-header';
import { StepError } from '../../core/errors/step-error.ts';
import { valueAt } from '../../core/json/json.ts';
import type { HttpResponse } from '../ports/http-port.ts';

export interface ApiPaging {
  url: string;
  paginationType: 'page' | 'offset' | 'cursor' | 'link';
  pageParam: string;
  startPage: number;
  pageSizeParam: string;
  pageSize?: number | undefined;
  offsetParam: string;
  cursorParam: string;
  cursorPath: string;
}

interface PageRead {
  answer: HttpResponse;
  body: unknown;
  /** `found`: entities of this page. `count`: of all pages. */
  found: number;
  count: number;
  /** Pages so far. */
  pages: number;
}

interface Kind {
  first: (paging: ApiPaging) => Record<string, string | number>;
  /** The pages have numbers, so that one after the last can be requested. */
  isNumbered?: true;
  /** The URL of the next page; undefined after the last. */
  next: (paging: ApiPaging, read: PageRead) => string | undefined;
}

/** Only an empty page is the last one of a numbered list: an API may return fewer entities than requested, or hide some. */
export const pagingKinds: Record<ApiPaging['paginationType'], Kind> = {
  page: {
    isNumbered: true,
    first: ({ pageParam, startPage }) => ({ [pageParam]: startPage }),
    next: (paging, { found, pages }) =>
      found === 0 ? undefined : withQuery(paging, { [paging.pageParam]: paging.startPage + pages }),
  },
  offset: {
    isNumbered: true,
    first: ({ offsetParam }) => ({ [offsetParam]: 0 }),
    next: (paging, { found, count }) =>
      found === 0 ? undefined : withQuery(paging, { [paging.offsetParam]: count }),
  },
  cursor: {
    first: () => ({}),
    next: (paging, { body, answer }) => {
      const cursor = valueAt(body, paging.cursorPath) ?? '';
      if (endCursors.has(cursor)) return undefined;
      if (typeof cursor !== 'string' && typeof cursor !== 'number' && typeof cursor !== 'bigint')
        throw new StepError(`${answer.url} has no cursor at ${paging.cursorPath}, but ${typeof cursor}`);
      const address = addressIn(String(cursor), answer);
      return address
        ? sameOrigin(paging, answer, address)
        : withQuery(paging, { [paging.cursorParam]: cursor });
    },
  },
  link: {
    first: () => ({}),
    next: (paging, { answer }) => {
      const next = linkedNext(answer);
      return next && sameOrigin(paging, answer, next);
    },
  },
};

/** 0 begins a list, so as the next cursor it ends one. */
const endCursors = new Set<unknown>(['', false, 0, '0']);

/** A whole address, or one that begins as that of the page did: other cursors may begin with a slash too. */
function addressIn(cursor: string, { url }: HttpResponse): URL | undefined {
  const isAddress = /^https?:\/\//i.test(cursor) || /^\?./.test(cursor);
  const isPath = cursor.startsWith(`${new URL(url).pathname}?`);
  return (isAddress || isPath) && URL.canParse(cursor, url) ? new URL(cursor, url) : undefined;
}

function sameOrigin({ url }: ApiPaging, answer: HttpResponse, next: URL): string {
  if (next.origin === new URL(url).origin) return next.href;
  // The headers may contain a credential for the first origin.
  throw new StepError(
    `${answer.url} links to a next page of another origin, ${next.origin}, which is not allowed`,
  );
}

export const firstPage = (paging: ApiPaging) =>
  withQuery(paging, pagingKinds[paging.paginationType].first(paging));

function withQuery(
  { url: base, pageSize, pageSizeParam }: ApiPaging,
  query: Record<string, string | number | bigint>,
): string {
  const url = new URL(base);
  if (pageSize !== undefined) url.searchParams.set(pageSizeParam, String(pageSize));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url.href;
}

function linkedNext({ url, headers }: HttpResponse): URL | undefined {
  try {
    const uri = LinkHeader.parse(headers.link ?? '').rel('next')[0]?.uri;
    return uri === undefined ? undefined : new URL(uri, url);
  } catch (cause) {
    throw new StepError(`${url} returned an invalid Link header`, { cause });
  }
}
