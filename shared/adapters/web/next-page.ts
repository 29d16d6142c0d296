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
  /** The URL of the next page; undefined after the last. */
  next: (paging: ApiPaging, read: PageRead) => string | undefined;
}

/** Only its size shows whether a numbered page is the last one. */
const isLast = ({ pageSize = 1 }: ApiPaging, { found }: PageRead) => found < pageSize;

export const pagingKinds: Record<ApiPaging['paginationType'], Kind> = {
  page: {
    first: ({ pageParam, startPage }) => ({ [pageParam]: startPage }),
    next: (paging, read) =>
      isLast(paging, read)
        ? undefined
        : withQuery(paging, { [paging.pageParam]: paging.startPage + read.pages }),
  },
  offset: {
    first: ({ offsetParam }) => ({ [offsetParam]: 0 }),
    next: (paging, read) =>
      isLast(paging, read) ? undefined : withQuery(paging, { [paging.offsetParam]: read.count }),
  },
  cursor: {
    first: () => ({}),
    next: (paging, { body, answer }) => {
      const cursor = valueAt(body, paging.cursorPath) ?? '';
      if (cursor === '' || cursor === false) return undefined;
      if (typeof cursor === 'string' || typeof cursor === 'number')
        return withQuery(paging, { [paging.cursorParam]: cursor });
      throw new StepError(`${answer.url} has no cursor at ${paging.cursorPath}, but ${typeof cursor}`);
    },
  },
  link: {
    first: () => ({}),
    next: ({ url }, { answer }) => {
      const next = linkedNext(answer);
      if (next === undefined || next.origin === new URL(url).origin) return next?.href;
      // The headers may contain a credential for the first origin.
      throw new StepError(
        `${answer.url} links to a next page of another origin, ${next.origin}, which is not allowed`,
      );
    },
  },
};

export const firstPage = (paging: ApiPaging) =>
  withQuery(paging, pagingKinds[paging.paginationType].first(paging));

function withQuery(
  { url: base, pageSize, pageSizeParam }: ApiPaging,
  query: Record<string, string | number>,
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
