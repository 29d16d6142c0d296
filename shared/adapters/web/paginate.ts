import { StepError } from '../../core/errors/step-error.ts';
import { jsonIn, valueAt } from '../../core/json/json.ts';
import type { HttpRequest, HttpResponse } from '../ports/http-port.ts';
import type { Ports } from '../ports/ports.ts';
import { type ApiPaging, firstPage, pagingKinds } from './next-page.ts';

export interface Pagination extends ApiPaging {
  /** The path of the entities in a page's body. Default: the body is the list. */
  entityPath?: string | undefined;
  maxPages: number;
  request: Pick<HttpRequest, 'method' | 'headers' | 'signal'>;
  fetch: Ports['fetch'];
  refused: (answer: HttpResponse) => StepError;
}

const entitiesMax = 100_000;
const bytesMax = 20_000_000;

/** The entities of all pages, in order. @throws StepError */
export async function paginate(pagination: Pagination): Promise<unknown[]> {
  const { url: base, paginationType, maxPages, request, fetch, refused } = pagination;
  if (!URL.canParse(base)) throw new StepError(`Not a URL: ${base}`);
  const { next } = pagingKinds[paginationType];
  const entities: unknown[] = [];
  const asked = new Set<string>();
  let bytes = 0;
  let last: string | undefined;
  let url: string | undefined = firstPage(pagination);

  while (url !== undefined && asked.size < maxPages && !asked.has(url)) {
    asked.add(url);
    const answer = await fetch({ ...request, url, timeoutMs: 30_000 });
    if (answer.status >= 400) throw refused(answer);
    const { text } = answer;
    const body = jsonIn(text);
    const found = entitiesIn(body, pagination, answer);
    // A server that ignores the page parameter returns the same page again.
    if (text === last && found.length > 0) break;
    last = text;
    bytes += answer.bytes.byteLength;
    for (const entity of found) entities.push(entity);
    if (entities.length > entitiesMax) throw tooMuch(base, `${entitiesMax} entities`);
    if (bytes > bytesMax) throw tooMuch(base, `${bytesMax} bytes`);
    url = next(pagination, { answer, body, found: found.length, count: entities.length, pages: asked.size });
  }
  return entities;
}

function entitiesIn(body: unknown, { entityPath }: Pagination, { url }: HttpResponse): unknown[] {
  if (body === undefined) throw new StepError(`${url} did not return JSON`);
  const list = entityPath === undefined ? body : valueAt(body, entityPath);
  // Some servers return null for an empty list.
  if (list === null) return [];
  if (Array.isArray(list)) return list;
  const where = entityPath === undefined ? 'no list: set entityPath to its path' : `no list at ${entityPath}`;
  throw new StepError(`${url} has ${where}`);
}

const tooMuch = (url: string, what: string) =>
  new StepError(`The pages of ${url} have more than ${what}: set maxPages, or request less`);
