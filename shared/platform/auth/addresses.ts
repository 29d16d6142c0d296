// Loaded only for keys with an IP allowlist, which are few: it adds 2 ms to a cold start.
const net = () => process.getBuiltinModule('node:net');

/** Whether an address is in one of some addresses and CIDR ranges. */
export function isInRanges(ranges: readonly string[], address: string | null): boolean {
  if (!address || net().isIP(address) === 0) return false;
  const list = new (net().BlockList)();
  for (const range of ranges) {
    const [base = '', bits] = range.split('/');
    const family = getFamily(base);
    if (bits === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(bits), family);
  }
  return list.check(address, getFamily(address));
}

export function isAddressRange(text: string): boolean {
  const [, base = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const widest = net().isIPv6(base) ? 128 : 32;
  return net().isIP(base) !== 0 && (bits === undefined || Number(bits) <= widest);
}

/**
 * The network that identifies a caller without a credential: the IPv4 address itself, or the /64 of an IPv6 address,
 * the smallest block that a subscriber gets (D110).
 */
export function toNetwork(address: string | null): string {
  if (!address || !net().isIPv6(address)) return address ?? 'unknown';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const splitGroups = (part = '') => part.split(':').filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - splitGroups(head).length - splitGroups(tail).length;
  const groups = [...splitGroups(head), ...Array<string>(missing).fill('0'), ...splitGroups(tail)];
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(':')}::/64`;
}

const getFamily = (address: string) => (net().isIPv6(address) ? 'ipv6' : 'ipv4');
