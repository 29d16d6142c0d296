import { AddressRefused, isAllowedHost, isPublicAddress, literalAddress, UrlRefused } from './addresses.ts';
import { isBlockedPort } from './blocked-ports.ts';

/** @throws UrlRefused for URLs that are not allowed, as far as that shows without DNS. */
export function checkedUrl(text: string): URL {
  if (!URL.canParse(text)) throw new UrlRefused(`Not a URL: ${text}`);
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol))
    throw new UrlRefused(`Only http and https URLs are allowed: ${text}`);
  if (url.username || url.password) throw new UrlRefused('A URL must not contain a user name or password');
  if (isBlockedPort(url)) throw new UrlRefused(`Port ${url.port} is not a port of web servers`);
  const address = literalAddress(url);
  if (address && !isPublicAddress(address) && !isAllowedHost(url)) throw new AddressRefused(url.hostname);
  return url;
}
