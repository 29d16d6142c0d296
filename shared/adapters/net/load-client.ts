import { lookup } from 'node:dns';
import { loadOnce } from '../../core/concurrency/load-once.ts';

/** The client that checks the addresses to which names resolve. Loaded when first used, as it is large. */
export const loadClient = loadOnce(async () => {
  const { makeClient } = await import('./client.ts');
  // That of the moment of a request: it may be replaced.
  return makeClient((...lookupArguments) => lookup(...lookupArguments));
});
