/** The form in which addresses are compared. Also of `Ada <ada@example.com>`. */
export const foldAddress = (address: string): string =>
  (/<([^<>]+)>\s*$/.exec(address)?.[1] ?? address).trim().toLowerCase();
