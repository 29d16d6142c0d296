import { isAllowedHost, UrlRefused } from '../net/addresses.ts';
import { checkUrl } from '../net/checked-url.ts';

const charactersMax = 2_000;

/** https, and no private address; the hosts of `ALLOWED_HOSTS` may use http. @throws UrlRefused */
export function secureUrl(text: string): URL {
  if (text.length > charactersMax) throw new UrlRefused(`A URL has more than ${charactersMax} characters`);
  const url = checkUrl(text);
  if (url.protocol === 'https:' || isAllowedHost(url)) return url;
  throw new UrlRefused(`OAuth needs https: ${url.origin}`);
}
