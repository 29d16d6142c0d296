import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Secret, Version } from './secrets.ts';
import { exists } from './secrets-errors.ts';

/** The members of a request that bring a value. */
export const Value = {
  ClientRequestToken: z.string().default(() => randomUUID()),
  SecretString: z.string().optional(),
  SecretBinary: z.string().optional(),
};
export const seconds = () => Date.now() / 1000;
export type Sent = {
  ClientRequestToken: string;
  SecretString?: string | undefined;
  SecretBinary?: string | undefined;
};

export const hasValue = ({ SecretString, SecretBinary }: Sent) =>
  SecretString !== undefined || SecretBinary !== undefined;

/** The same request again is answered as the first; another value under the same token is refused. */
export function repeats({ versions }: Secret, sent: Sent): boolean {
  const version = versions.find(({ id }) => id === sent.ClientRequestToken);
  if (!version) return false;
  if (version.text === sent.SecretString && version.binary === sent.SecretBinary) return true;
  throw exists('You can’t use ClientRequestToken again with another value.');
}

export const versionOf = (
  { ClientRequestToken, SecretString, SecretBinary }: Sent,
  stages: string[],
): Version => ({
  id: ClientRequestToken,
  stages,
  ...(SecretString !== undefined && { text: SecretString }),
  ...(SecretBinary !== undefined && { binary: SecretBinary }),
  createdAt: seconds(),
});

/** Stages move to the new version; the current one becomes the previous one. */
export function superseded(version: Version, taken: readonly string[]): Version {
  const left = version.stages.filter((stage) => !taken.includes(stage));
  if (!taken.includes('AWSCURRENT')) return { ...version, stages: left };
  const wasCurrent = version.stages.includes('AWSCURRENT');
  const stages = left.filter((stage) => stage !== 'AWSPREVIOUS');
  return { ...version, stages: wasCurrent ? [...stages, 'AWSPREVIOUS'] : stages };
}
