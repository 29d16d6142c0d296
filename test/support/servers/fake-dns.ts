import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll } from 'vitest';

/**
 * Replaces the name server of this process until the end of the test file.
 */
export function fakeDns(addressesFor: (hostname: string) => readonly string[]): void {
  const { lookup } = dns;
  const replace = (one: unknown) => {
    dns.lookup = one as typeof lookup;
    syncBuiltinESMExports();
  };
  replace((hostname: string, _options: object, done: (error: null, addresses: object[]) => void) =>
    done(
      null,
      addressesFor(hostname).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    ),
  );
  afterAll(() => replace(lookup));
}
