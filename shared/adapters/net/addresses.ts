import ipaddr from 'ipaddr.js';
import { StepError } from '../../core/errors/step-error.ts';

/** Azure's platform address: public by number, but internal to the host. */
const cloudInternals = ['168.63.129.16'];
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Rejects private, loopback, link-local, CGNAT, multicast, reserved and IPv4-embedding IPv6 addresses. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || cloudInternals.includes(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast);
}

/** The IP address in a URL, in any notation that URL normalises; undefined for a name. */
export function literalAddress({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** Private hosts that are allowed: `ALLOWED_HOSTS`, a comma-separated list of host:port. */
export function isAllowedHost(url: URL): boolean {
  const allowed = (process.env.ALLOWED_HOSTS ?? '').toLowerCase().split(',');
  return allowed.some((host) => host.trim() === hostWithPort(url));
}

export const hostWithPort = ({ hostname, port, protocol }: URL) =>
  `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;

/** A URL that is never fetched. */
export class UrlRefused extends StepError {}

export class AddressRefused extends UrlRefused {
  constructor(host: string) {
    super(`${host} is not a public address and may not be reached`);
  }
}

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
