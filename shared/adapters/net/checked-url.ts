import { AddressRefused, isAllowedHost, isPublicAddress, literalAddress, UrlRefused } from './addresses.ts';

/** @throws UrlRefused for URLs that are not allowed, as far as that shows without DNS. */
export function checkUrl(text: string): URL {
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

/** The ports that fetch blocks (https://fetch.spec.whatwg.org/#port-blocking): services that read HTTP as commands. */
const blockedPorts = new Set(
  (
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 ' +
    '137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 ' +
    '1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
);

const isBlockedPort = ({ port }: URL) => blockedPorts.has(port);
