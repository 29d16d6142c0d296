/**
 * Crawls the pages of one site, nearest first, as its robots.txt allows.
 * Order: fetch the robots.txt and the first page, whose site after redirects is the one to crawl; then rounds of up to
 * four pages at once (one, if the site asks for a delay), whose links join the frontier. If the first page fails, so
 * does the crawl; later ones are listed with their error.
 * Links are checked before they are requested. Where a redirect leads is known only after the request: a target on
 * another site, in the queue before, or disallowed is dropped then. So a page is listed once, but may be requested
 * again. Limits: pages, three times as many requests for pages in all, characters of all pages, addresses in the queue.
 * The step `crawl` calls it; applying the robots.txt and reading a page run in the sandbox (`tasks.ts`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StepError } from '../../core/errors/step-error.ts';
import { wholeOrLength } from '../../core/text.ts';
import { statusError } from '../net/fetch-failure.ts';
import type { HttpRequest } from '../ports/http-port.ts';
import type { Ports } from '../ports/ports.ts';
import { limitAsStepError } from '../sandbox/sandbox.ts';
import { isHtml, readResponse } from './content.ts';
import type { WebPage } from './page.ts';
import { readRobotsTask } from './tasks.ts';

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
  const { first, robots } = await visitFirstPage(request);
  const frontier = makeFrontier(first.url, robots);
  const pages: CrawledPage[] = [];
  let requests = 1;
  let characters = 0;

  async function addPage({ visit, url, page, error }: Visited): Promise<void> {
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
    for (const each of visited) await addPage(each);
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
async function visitFirstPage(request: CrawlRequest) {
  const { url } = request;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '') || url.length > urlLengthMax) {
    throw new StepError(`Not a web address: ${wholeOrLength(url, 200)}`);
  }
  const visit = { url: removeHash(url), depth: 0 };
  const robots = await checkRobots(visit.url, request);
  const first = await visitPage(visit, request);
  if (first.error) throw first.error;
  if (!first.page) throw new StepError(`${first.url} is not an HTML page`);
  return { first, robots: first.url === visit.url ? robots : await checkRobots(first.url, request) };
}

/** Reads the site's robots.txt. @throws StepError if it disallows the page itself. */
async function checkRobots(url: string, { ports, signal }: CrawlRequest): Promise<Robots> {
  const { origin, host } = new URL(url);
  const robots = await fetchRobots(origin, ports, signal);
  if ((await robots.allows([url]))[0]) return robots;
  throw new StepError(`The robots.txt of ${host} disallows ${url}`);
}

async function visitPage(visit: CrawlTarget, { ports, signal }: CrawlRequest): Promise<Visited> {
  try {
    const answer = await ports.fetch(pageRequest(visit.url, signal));
    const url = removeHash(answer.url);
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

interface CrawlTarget {
  url: string;
  /** The number of links from the first page. */
  depth: number;
}

const queueMax = 5_000;
/** How many URLs to check against robots.txt at once. */
const batchSize = 500;
const urlLengthMax = 2_000;
const noPage =
  /\.(pdf|png|jpe?g|gif|webp|avif|svg|ico|css|m?js|json|xml|rss|zip|gz|tgz|mp[34]|webm|woff2?|exe|dmg)$/i;

/** The queue of pages to visit: nearest first, each once, and only those that robots.txt allows. */
function makeFrontier(first: string, robots: Robots) {
  const { host, protocol } = new URL(first);
  const queued = new Set([first]);
  const queue: CrawlTarget[] = [];
  /** The front of the queue, already checked against robots.txt. */
  const allowed: CrawlTarget[] = [];

  /** A link in normalised form; undefined if it leads to another site. */
  function pageOfSite(link: string): string | undefined {
    if (link.length > urlLengthMax) return undefined;
    const url = new URL(link);
    if (url.host !== host || noPage.test(url.pathname)) return undefined;
    url.protocol = protocol;
    return removeHash(url.href);
  }

  return {
    add(links: readonly string[], depth: number): void {
      for (const link of links) {
        const url = pageOfSite(link);
        if (url === undefined || queued.has(url) || queue.length >= queueMax) continue;
        queued.add(url);
        queue.push({ url, depth });
      }
    },

    async next(count: number): Promise<CrawlTarget[]> {
      while (allowed.length < count && queue.length > 0) {
        const batch = queue.splice(0, batchSize);
        const answers = await robots.allows(batch.map(({ url }) => url));
        allowed.push(...batch.filter((_visit, index) => answers[index]));
      }
      return allowed.splice(0, Math.max(0, count));
    },

    /** Whether a visit ended, after redirects, on an allowed page of the site that was not queued before. */
    async accepts({ url: asked }: CrawlTarget, url: string): Promise<boolean> {
      if (url === asked) return true;
      if (new URL(url).host !== host || queued.has(url)) return false;
      queued.add(url);
      return (await robots.allows([url]))[0] ?? false;
    },
  };
}

function removeHash(address: string): string {
  const url = new URL(address);
  url.hash = '';
  return url.href;
}

/** The minimum that crawlers must read (RFC 9309, 2.5). */
const robotsCharactersMax = 500 * 1_024;
const delayMsMax = 10_000;
const timeoutMs = 2_000;

interface Robots {
  /** Which of these pages may be read. @throws StepError if applying the rules takes too long. */
  allows: (urls: readonly string[]) => Promise<boolean[]>;
  delayMs: number;
}

/** Fetches the rules of a site. @throws StepError if its robots.txt is unavailable: then nothing may be crawled. */
async function fetchRobots(
  origin: string,
  { fetch, sandbox }: Pick<Ports, 'fetch' | 'sandbox'>,
  signal: AbortSignal,
): Promise<Robots> {
  const url = `${origin}/robots.txt`;
  const answer = await fetch({ url, method: 'GET', headers: {}, timeoutMs: 10_000, signal });
  if (answer.status === 429 || answer.status >= 500) {
    const message = `${url} answered ${answer.status}, so it is unknown whether the site may be crawled; try again later`;
    throw new StepError(message, { retryable: true });
  }
  const text = answer.status < 300 ? answer.text.slice(0, robotsCharactersMax) : '';
  const read = (urls: readonly string[]) =>
    sandbox(readRobotsTask, { text, urls }, { timeoutMs, signal }).catch(limitAsStepError(url, 'to apply'));
  const { delaySeconds } = await read([]);
  return {
    allows: async (urls) => (text === '' ? urls.map(() => true) : (await read(urls)).allowed),
    delayMs: Math.min(Math.max(0, delaySeconds * 1_000), delayMsMax),
  };
}
