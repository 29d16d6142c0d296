import { StepError } from '../../core/step-error.ts';
import { AddressRefused, isAllowedHost, isPublicAddress, literalAddress } from './addresses.ts';
import { isBlockedPort } from './blocked-ports.ts';

/** @throws StepError for URLs that are not allowed, as far as that shows without DNS. */
export function checkedUrl(text: string): URL {
  if (!URL.canParse(text)) throw new StepError(`Not a URL: ${text}`);
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol))
    throw new StepError(`Only http and https URLs are allowed: ${text}`);
  if (url.username || url.password) throw new StepError('A URL must not contain a user name or password');
  if (isBlockedPort(url)) throw new StepError(`Port ${url.port} is not a port of web servers`);
  const address = literalAddress(url);
  if (address && !isPublicAddress(address) && !isAllowedHost(url)) throw new AddressRefused(url.hostname);
  return url;
}
