/**
 * Reads all entities of a list that an API returns in pages, by page number, offset, cursor or Link header.
 * One page after the other: the kind (`pagingKinds`) makes the next address from the page before. The list ends without a next
 * page, at a page that was read before, at `maxPages`, or, with numbers, at 404 or 416. A page that proves that the API
 * ignores the parameters is an error, as is a next page of another origin, since headers may hold a credential.
 * `execution/steps/paginate-api.ts` calls it; if the method changes something, its fetch adds an idempotency key to each page.
 */
import { isDeepStrictEqual } from 'node:util';
import LinkHeader from 'http-link-header';
import { StepError } from '../../core/errors/step-error.ts';
import { parseAnswerJson, readPath } from '../../core/json/json.ts';
import type { HttpRequest, HttpResponse } from '../ports/http-port.ts';
import type { Ports } from '../ports/ports.ts';

export interface Pagination extends ApiPaging {
  /** The path of the entities in a page's body. Default: the body is the list. */
  entityPath?: string | undefined;
  /** Reads only the first pages. */
  maxPages: number | undefined;
  request: Pick<HttpRequest, 'method' | 'headers' | 'signal'>;
  fetch: Ports['fetch'];
  refused: (answer: HttpResponse) => StepError;
}

const entitiesMax = 100_000;
const bytesMax = 20_000_000;

/** Without `maxPages`. */
const defaultPagesMax = 100;
/** How APIs of numbered pages refuse those after the last one. */
const beyondTheEnd = new Set([404, 416]);

/** The entities of all pages, in order; the first ones if `maxPages` is given. @throws StepError if some cannot be had. */
export async function paginate(pagination: Pagination): Promise<unknown[]> {
  const { url: base, maxPages } = pagination;
  if (!URL.canParse(base)) throw new StepError(`Not a URL: ${base}`);
  const entities: unknown[] = [];
  let bytes = 0;
  let pages = 0;
  for await (const page of readPages(pagination)) {
    if (maxPages === undefined && ++pages > defaultPagesMax && page.found.length > 0)
      throw tooMuch(base, `${defaultPagesMax} pages`);
    bytes += page.bytes;
    for (const entity of page.found) entities.push(entity);
    if (entities.length > entitiesMax) throw tooMuch(base, `${entitiesMax} entities`);
    if (bytes > bytesMax) throw tooMuch(base, `${bytesMax} bytes`);
  }
  return entities;
}

interface PageOfApi {
  found: unknown[];
  bytes: number;
}

async function* readPages(pagination: Pagination): AsyncGenerator<PageOfApi> {
  const { paginationType, maxPages = defaultPagesMax + 1, request, fetch, refused } = pagination;
  const { next, isNumbered } = pagingKinds[paginationType];
  const asked = new Set<string>();
  let former: PageOfApi & { text: string } = { found: [], bytes: 0, text: '' };
  let count = 0;
  for (let url: string | undefined = firstPage(pagination); url !== undefined && asked.size < maxPages; ) {
    // A circle: its pages were read.
    if (asked.has(url)) return;
    asked.add(url);
    const answer = await fetch({ ...request, url, timeoutMs: 30_000 });
    if (isNumbered && asked.size > 1 && beyondTheEnd.has(answer.status)) return;
    if (answer.status >= 400) throw refused(answer);
    const { text } = answer;
    const body = parseAnswerJson(text, url);
    const found = readEntities(body, pagination, answer);
    // A server that ignores the parameter returns the same page again.
    if (text === former.text && found.length > 0) return assertUnpaged(pagination, answer, found);
    if (paginationType === 'offset') assertNoOverlap(pagination, answer, former.found, found);
    former = { found, bytes: answer.bytes.byteLength, text };
    yield former;
    count += found.length;
    url = next(pagination, { answer, body, found: found.length, count, pages: asked.size });
  }
}

/** Of a list in pages, the same full page again means that its parameter has another name. */
function assertUnpaged({ pageSize }: Pagination, { url }: HttpResponse, found: readonly unknown[]): void {
  if (pageSize !== undefined && found.length === pageSize)
    throw new StepError(`${url} returned the page before it again: set the parameters that the API has`);
}

/** The offset counts what was returned. An API that hides some of what it counts would return others twice. */
function assertNoOverlap(
  { pageSize = 0 }: Pagination,
  { url }: HttpResponse,
  former: readonly unknown[],
  [first]: readonly unknown[],
): void {
  const isShort = former.length > 0 && former.length < pageSize;
  if (!isShort || typeof first !== 'object' || first === null) return;
  if (former.some((entity) => isDeepStrictEqual(entity, first)))
    throw new StepError(
      `${url} repeats an entity of the page before it: the offset counts entities that the API does not return. Read it by page or cursor`,
    );
}

function readEntities(body: unknown, { entityPath }: Pagination, { url }: HttpResponse): unknown[] {
  if (body === undefined) throw new StepError(`${url} did not return JSON`);
  const list = entityPath === undefined ? body : readPath(body, entityPath);
  // Some servers return null for an empty list.
  if (list === null) return [];
  if (Array.isArray(list)) return list;
  const where = entityPath === undefined ? 'no list: set entityPath to its path' : `no list at ${entityPath}`;
  throw new StepError(`${url} has ${where}`);
}

const tooMuch = (url: string, what: string) =>
  new StepError(`The pages of ${url} have more than ${what}: set maxPages, or request less`);

interface ApiPaging {
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

/** Only an empty page is the last one of a numbered list: an API may return fewer entities than requested, or hide some (D258). */
const pagingKinds: Record<ApiPaging['paginationType'], Kind> = {
  page: {
    isNumbered: true,
    first: ({ pageParam, startPage }) => ({ [pageParam]: startPage }),
    next: (paging, { found, pages }) =>
      found === 0 ? undefined : addQuery(paging, { [paging.pageParam]: paging.startPage + pages }),
  },
  offset: {
    isNumbered: true,
    first: ({ offsetParam }) => ({ [offsetParam]: 0 }),
    next: (paging, { found, count }) =>
      found === 0 ? undefined : addQuery(paging, { [paging.offsetParam]: count }),
  },
  cursor: {
    first: () => ({}),
    next: (paging, { body, answer }) => {
      const cursor = readPath(body, paging.cursorPath) ?? '';
      if (endCursors.has(cursor)) return undefined;
      if (typeof cursor !== 'string' && typeof cursor !== 'number' && typeof cursor !== 'bigint')
        throw new StepError(`${answer.url} has no cursor at ${paging.cursorPath}, but ${typeof cursor}`);
      const address = parseAddress(String(cursor), answer);
      return address
        ? sameOrigin(paging, answer, address)
        : addQuery(paging, { [paging.cursorParam]: cursor });
    },
  },
  link: {
    first: () => ({}),
    next: (paging, { answer }) => {
      const next = parseNextLink(answer);
      return next && sameOrigin(paging, answer, next);
    },
  },
};

/** 0 begins a list, so as the next cursor it ends one. */
const endCursors = new Set<unknown>(['', false, 0, '0']);

/** A whole address, or one that begins as that of the page did: other cursors may begin with a slash too. */
function parseAddress(cursor: string, { url }: HttpResponse): URL | undefined {
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

const firstPage = (paging: ApiPaging) => addQuery(paging, pagingKinds[paging.paginationType].first(paging));

function addQuery(
  { url: base, pageSize, pageSizeParam }: ApiPaging,
  query: Record<string, string | number | bigint>,
): string {
  const url = new URL(base);
  if (pageSize !== undefined) url.searchParams.set(pageSizeParam, String(pageSize));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url.href;
}

function parseNextLink({ url, headers }: HttpResponse): URL | undefined {
  try {
    const uri = LinkHeader.parse(headers.link ?? '').rel('next')[0]?.uri;
    return uri === undefined ? undefined : new URL(uri, url);
  } catch (cause) {
    throw new StepError(`${url} returned an invalid Link header`, { cause });
  }
}
