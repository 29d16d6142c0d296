import type { Robots } from './robots.ts';

export interface Visit {
  url: string;
  /** How many links lead to it from the first page. */
  depth: number;
}

const queueMax = 5_000;
/** How many addresses are held against robots.txt at once. */
const batchSize = 500;
export const urlLengthMax = 2_000;
const noPage =
  /\.(pdf|png|jpe?g|gif|webp|avif|svg|ico|css|m?js|json|xml|rss|zip|gz|tgz|mp[34]|webm|woff2?|exe|dmg)$/i;

/** The pages of a site that are still to be visited: nearest first, each once, and only what robots.txt allows. */
export function makeFrontier(first: string, robots: Robots) {
  const { host, protocol } = new URL(first);
  const seen = new Set([first]);
  const queue: Visit[] = [];
  /** The front of the queue, as far as robots.txt was asked about it. */
  const allowed: Visit[] = [];

  /** A link in the form under which the page is known, or nothing when it leads away from the site. */
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

    async next(count: number): Promise<Visit[]> {
      while (allowed.length < count && queue.length > 0) {
        const batch = queue.splice(0, batchSize);
        const answers = await robots.allows(batch.map(({ url }) => url));
        allowed.push(...batch.filter((_visit, index) => answers[index]));
      }
      return allowed.splice(0, Math.max(0, count));
    },

    /** Whether a visit ended, after redirects, on a page of the site that may be read and was not met before. */
    async accepts({ url: asked }: Visit, url: string): Promise<boolean> {
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
