import ipaddr from 'ipaddr.js';

/** The address under which Azure serves its machines: public by number, but a part of the host. */
const cloudInternals = ['168.63.129.16'];
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an address is on the public internet. Everything else is refused: private, loopback, link-local with
 * the metadata services, CGNAT, multicast, reserved, and IPv6 that carries an IPv4 address inside.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || cloudInternals.includes(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast);
}

/** The IP address that a URL's host is, in any notation that URL normalises, or nothing for a name. */
export function literalAddress({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** Hosts that may be reached although they are private: `ALLOWED_HOSTS`, a list of host:port with commas. */
export function isAllowedHost({ hostname, port, protocol }: URL): boolean {
  const allowed = (process.env.ALLOWED_HOSTS ?? '').toLowerCase().split(',');
  const effectivePort = port || (protocol === 'https:' ? '443' : '80');
  return allowed.some((host) => host.trim() === `${hostname}:${effectivePort}`);
}

export const notPublicMessage = (host: string) => `${host} is not a public address and may not be reached`;
