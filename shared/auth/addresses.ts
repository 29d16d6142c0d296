// Loaded when a key is bound to addresses, which few are: it costs a cold start 2 ms.
const net = () => process.getBuiltinModule('node:net');

/** Whether an address is in a list of addresses and CIDR ranges. */
export function addressIn(ranges: readonly string[], address: string | null): boolean {
  if (!address || net().isIP(address) === 0) return false;
  const list = new (net().BlockList)();
  for (const range of ranges) {
    const [base = '', bits] = range.split('/');
    const family = familyOf(base);
    if (bits === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(bits), family);
  }
  return list.check(address, familyOf(address));
}

export function isAddressRange(text: string): boolean {
  const [, base = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const widest = net().isIPv6(base) ? 128 : 32;
  return net().isIP(base) !== 0 && (bits === undefined || Number(bits) <= widest);
}

const familyOf = (address: string) => (net().isIPv6(address) ? 'ipv6' : 'ipv4');
