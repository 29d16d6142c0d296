import { BlockList, isIP, isIPv6 } from 'node:net';

/** Whether an address is in a list of addresses and CIDR ranges. */
export function addressIn(ranges: readonly string[], address: string | null): boolean {
  if (!address || !isIP(address)) return false;
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', bits] = range.split('/');
    const family = familyOf(base);
    if (bits === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(bits), family);
  }
  return list.check(address, familyOf(address));
}

export function isAddressRange(text: string): boolean {
  const [, base = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const widest = isIPv6(base) ? 128 : 32;
  return isIP(base) !== 0 && (bits === undefined || Number(bits) <= widest);
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
