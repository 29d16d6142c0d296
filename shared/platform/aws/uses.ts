/**
 * What a Lambda can need from AWS, in the words of this layer. From each, the CDK app derives the statements of the
 * role and the environment variables (`infra/uses.ts`, `infra/aws/grants.ts`).
 */
export type Use =
  | 'table:read'
  | 'table:write'
  /** Counts a request on the credential's item. */
  | 'rate-limits'
  /** The limits of a credential that has none of its own, without the counters. */
  | 'default-limits'
  /** Reads credentials as the authorizer does: keys in the table, tokens by the issuer's keys. */
  | 'credentials'
  | 'payloads'
  | 'payloads:list'
  | 'queue:plan'
  | 'queue:runs'
  /** Also schedules a message for later than a queue can delay it. */
  | 'queue:wakes'
  | 'queue:cleanup'
  | 'messages'
  | 'assets'
  | 'vectors'
  /** Sees whether a collection exists, and nothing of what is in it. */
  | 'vectors:find'
  | 'test-keys'
  | 'secrets:read'
  | 'secrets:write'
  | 'provider-keys'
  | 'public-url'
  | 'static-files';

/** What a factory or a Lambda needs from AWS. */
export interface Requirements {
  uses: readonly Use[];
  /** Where the usual is too little. A Lambda's share of a processor grows with it; 1,769 have a whole one. */
  memoryMb?: number;
}

type Part = Use | Partial<Requirements>;

/** All that several need together. */
export function requirementsOf(...parts: readonly Part[]): Requirements {
  const known = parts.map((part) => (typeof part === 'string' ? { uses: [part] } : part));
  const memories = known.flatMap(({ memoryMb }: Partial<Requirements>) => memoryMb ?? []);
  return {
    uses: [...new Set(known.flatMap(({ uses = [] }) => uses))],
    ...(memories.length > 0 && { memoryMb: Math.max(...memories) }),
  };
}

/**
 * A factory that carries what it needs from AWS.
 * Each call is marked as pure, so that a bundle leaves out the factories that it does not use.
 * @param parts Uses, memory, and the factories that it uses itself.
 */
// biome-ignore lint/suspicious/noExplicitAny: factories of every shape carry uses
export const using = <F extends (...args: any[]) => unknown>(
  parts: readonly Part[],
  make: F,
): F & Requirements => Object.assign(make, requirementsOf(...parts));
