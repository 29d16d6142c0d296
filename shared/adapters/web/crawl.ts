import { setTimeout as sleep } from 'node:timers/promises';
import { StepError } from '../../core/errors/step-error.ts';
import { wholeOrLength } from '../../core/text.ts';
import { statusError } from '../net/status-error.ts';
import type { HttpRequest } from '../ports/http-port.ts';
import type { Ports } from '../ports/ports.ts';
import { isHtml, readResponse } from './content.ts';
import { type CrawlTarget, makeFrontier, urlLengthMax, withoutHash } from './frontier.ts';
import type { WebPage } from './page.ts';
import { fetchRobots, type Robots } from './robots.ts';

export interface CrawlRequest {
  url: string;
  limit: number;
  /** The maximum number of links from the first page. */
  depth: number;
  ports: Pick<Ports, 'fetch' | 'sandbox'>;
  signal: AbortSignal;
}

export type CrawledPage = CrawlTarget & ({ title: string; markdown: string } | { error: string });

interface Visited {
  visit: CrawlTarget;
  url: string;
  page?: WebPage;
  error?: StepError;
}

const atOnce = 4;
const charactersMax = 4_000_000;
/** Responses other than pages are not listed, but are only known after the request. */
const requestsPerPage = 3;

/** Nearest first. Lists failed pages with their error. @throws StepError for the first page. */
export async function crawlSite(request: CrawlRequest): Promise<CrawledPage[]> {
  const { limit, signal } = request;
  const { first, robots } = await enter(request);
  const frontier = makeFrontier(first.url, robots);
  const pages: CrawledPage[] = [];
  let requests = 1;
  let characters = 0;

  async function take({ visit, url, page, error }: Visited): Promise<void> {
    if (error) return void pages.push({ ...visit, error: error.message });
    if (!page || (visit !== first.visit && !(await frontier.accepts(visit, url)))) return;
    const { title, markdown, links } = page;
    characters += markdown.length;
    if (characters > charactersMax) {
      return void pages.push({
        ...visit,
        url,
        error: `The pages have more than ${charactersMax} characters`,
      });
    }
    pages.push({ url, depth: visit.depth, title, markdown });
    if (visit.depth < request.depth) frontier.add(links, visit.depth + 1);
  }

  for (let visited = [first]; visited.length > 0; ) {
    for (const each of visited) await take(each);
    if (characters > charactersMax) break;
    const places = Math.min(limit - pages.length, limit * requestsPerPage - requests);
    const next = await frontier.next(Math.min(places, robots.delayMs ? 1 : atOnce));
    requests += next.length;
    if (next.length > 0) await sleep(robots.delayMs, undefined, { signal });
    visited = await Promise.all(next.map((each) => visitPage(each, request)));
  }
  return pages;
}

/** Fetches the first page. Its site, after redirects, is the one to crawl. */
async function enter(request: CrawlRequest) {
  const { url } = request;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '') || url.length > urlLengthMax) {
    throw new StepError(`Not a web address: ${wholeOrLength(url, 200)}`);
  }
  const visit = { url: withoutHash(url), depth: 0 };
  const robots = await permission(visit.url, request);
  const first = await visitPage(visit, request);
  if (first.error) throw first.error;
  if (!first.page) throw new StepError(`${first.url} is not an HTML page`);
  return { first, robots: first.url === visit.url ? robots : await permission(first.url, request) };
}

/** Reads the site's robots.txt. @throws StepError if it disallows the page itself. */
async function permission(url: string, { ports, signal }: CrawlRequest): Promise<Robots> {
  const { origin, host } = new URL(url);
  const robots = await fetchRobots(origin, ports, signal);
  if ((await robots.allows([url]))[0]) return robots;
  throw new StepError(`The robots.txt of ${host} disallows ${url}`);
}

async function visitPage(visit: CrawlTarget, { ports, signal }: CrawlRequest): Promise<Visited> {
  try {
    const answer = await ports.fetch(pageRequest(visit.url, signal));
    const url = withoutHash(answer.url);
    if (answer.status >= 400) throw statusError(url, answer);
    return { visit, url, ...(isHtml(answer) && { page: await readResponse(answer, ports.sandbox, signal) }) };
  } catch (error) {
    if (error instanceof StepError) return { visit, url: visit.url, error };
    throw error;
  }
}

const pageRequest = (url: string, signal: AbortSignal): HttpRequest => ({
  url,
  method: 'GET',
  headers: { accept: 'text/html,application/xhtml+xml' },
  timeoutMs: 15_000,
  bytesMax: 2_000_000,
  signal,
});
