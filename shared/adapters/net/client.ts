import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, fetch } from 'undici';
import { AddressRefused, isAllowedHost, isPublicAddress } from './addresses.ts';

export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export type EgressClient = ReturnType<typeof makeClient>;

/** One agent that checks the resolved addresses, and one for explicitly allowed hosts. */
export function makeClient(resolve: Resolve) {
  const limits = { connectTimeout: 10_000 };
  const guarded = new Agent({ ...limits, connect: { lookup: makeCheckedLookup(resolve) } });
  const open = new Agent(limits);
  return { agentFor: (url: URL) => (isAllowedHost(url) ? open : guarded), open, fetch };
}

const makeCheckedLookup =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, done) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const first = addresses?.[0];
      if (error || !first) return done(error ?? new Error(`${hostname} has no address`), '');
      if (!addresses.every(({ address }) => isPublicAddress(address))) {
        return done(new AddressRefused(hostname), '');
      }
      return options.all ? done(null, addresses) : done(null, first.address, first.family);
    });
