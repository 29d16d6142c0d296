import { createHash, randomBytes } from 'node:crypto';

/** Lambda stops the next invocation of a function that a chain of messages has invoked so often. */
const invocationsMax = 16;

/** Lambda did not run a function, because a chain of messages has invoked it too often. */
export class RecursiveInvocation extends Error {}

/**
 * The X-Ray trace header of an invocation: that of the messages that caused it, with their count of its function's
 * invocations (`Lineage`) one higher. The SDK sends it with what the function sends.
 * @param causes The headers of the messages; of their counts, the highest applies.
 * @throws RecursiveInvocation
 */
export function traceHeader(
  name: string,
  causes: readonly (string | undefined)[],
  recursiveLoop: 'Allow' | 'Terminate',
): string {
  const lineage = new Map<string, number>();
  for (const [hash, count] of causes.flatMap(lineageIn)) {
    lineage.set(hash, Math.max(count, lineage.get(hash) ?? 0));
  }
  const own = hashOf(name);
  const invocations = (lineage.get(own) ?? 0) + 1;
  if (invocations > invocationsMax && recursiveLoop === 'Terminate')
    throw new RecursiveInvocation(`A chain of messages has invoked ${name} ${invocationsMax} times`);
  lineage.set(own, invocations);
  const root = causes.map((cause) => partOf(cause, 'Root')).find(Boolean) ?? newRoot();
  return `Root=${root};Sampled=0;Lineage=${[...lineage].map((entry) => entry.join(':')).join('|')}`;
}

const hashOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 8);
const newRoot = () => `1-${Math.floor(Date.now() / 1_000).toString(16)}-${randomBytes(12).toString('hex')}`;

const partOf = (header: string | undefined, name: string) =>
  header
    ?.split(';')
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1);

const lineageIn = (header: string | undefined) =>
  (partOf(header, 'Lineage') ?? '').split('|').flatMap((entry): [string, number][] => {
    const [hash, count] = entry.split(':');
    return hash && count ? [[hash, Number(count)]] : [];
  });
