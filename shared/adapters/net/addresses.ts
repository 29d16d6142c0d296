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
