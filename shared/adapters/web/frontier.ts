import type { Robots } from './robots.ts';

export interface CrawlTarget {
  url: string;
  /** The number of links from the first page. */
  depth: number;
}

const queueMax = 5_000;
/** How many URLs to check against robots.txt at once. */
const batchSize = 500;
export const urlLengthMax = 2_000;
const noPage =
  /\.(pdf|png|jpe?g|gif|webp|avif|svg|ico|css|m?js|json|xml|rss|zip|gz|tgz|mp[34]|webm|woff2?|exe|dmg)$/i;

/** The queue of pages to visit: nearest first, each once, and only those that robots.txt allows. */
export function makeFrontier(first: string, robots: Robots) {
  const { host, protocol } = new URL(first);
  const seen = new Set([first]);
  const queue: CrawlTarget[] = [];
  /** The front of the queue, already checked against robots.txt. */
  const allowed: CrawlTarget[] = [];

  /** A link in normalised form; undefined if it leads to another site. */
  function pageOfSite(link: string): string | undefined {
    if (link.length > urlLengthMax) return undefined;
    const url = new URL(link);
    if (url.host !== host || noPage.test(url.pathname)) return undefined;
    url.protocol = protocol;
    return withoutHash(url.href);
  }

  return {
    add(links: readonly string[], depth: number): void {
      for (const link of links) {
        const url = pageOfSite(link);
        if (url === undefined || seen.has(url) || queue.length >= queueMax) continue;
        seen.add(url);
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

    /** Whether a visit ended, after redirects, on an allowed page of the site that was not visited before. */
    async accepts({ url: asked }: CrawlTarget, url: string): Promise<boolean> {
      if (url === asked) return true;
      if (new URL(url).host !== host || seen.has(url)) return false;
      seen.add(url);
      return (await robots.allows([url]))[0] ?? false;
    },
  };
}

export function withoutHash(address: string): string {
  const url = new URL(address);
  url.hash = '';
  return url.href;
}
