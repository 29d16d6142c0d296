import type { Robots } from './robots.ts';

export interface Visit {
  url: string;
  /** How many links lead to it from the first page. */
  depth: number;
}

const queueMax = 5_000;
export const urlLengthMax = 2_000;
const noPage =
  /\.(pdf|png|jpe?g|gif|webp|avif|svg|ico|css|m?js|json|xml|rss|zip|gz|tgz|mp[34]|webm|woff2?|exe|dmg)$/i;

/** The pages of a site that are still to be visited: nearest first, each once, and only what robots.txt allows. */
export function makeFrontier(first: string, robots: Robots) {
  const { host, protocol } = new URL(first);
  const seen = new Set([first]);
  const queue: Visit[] = [];

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

    next(count: number): Visit[] {
      const visits: Visit[] = [];
      while (visits.length < count) {
        const visit = queue.shift();
        if (!visit) break;
        if (robots.allows(visit.url)) visits.push(visit);
      }
      return visits;
    },

    /** Whether a visit ended, after redirects, on a page of the site that may be read and was not met before. */
    accepts({ url: asked }: Visit, url: string): boolean {
      if (url === asked) return true;
      if (new URL(url).host !== host || seen.has(url) || !robots.allows(url)) return false;
      seen.add(url);
      return true;
    },
  };
}

export function withoutHash(address: string): string {
  const url = new URL(address);
  url.hash = '';
  return url.href;
}
