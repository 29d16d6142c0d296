import { limitExceeded, secretExists } from './errors.ts';
import type { SecretValueInput } from './requests.ts';
import type { LocalSecret, SecretVersion } from './store.ts';

/** The time in Secrets Manager's format: Unix seconds. */
export const seconds = () => Date.now() / 1000;

/** A repeated request returns the first response; another value with the same token is rejected. */
export function isRepeatedRequest({ versions }: LocalSecret, sent: SecretValueInput): boolean {
  const version = versions.find(({ id }) => id === sent.ClientRequestToken);
  if (!version) return false;
  if (version.text === sent.SecretString && version.binary === sent.SecretBinary) return true;
  throw secretExists('You can’t use ClientRequestToken again with another value.');
}

export const newSecretVersion = (
  { ClientRequestToken, SecretString, SecretBinary }: SecretValueInput,
  stages: string[],
): SecretVersion => ({
  id: ClientRequestToken,
  stages,
  ...(SecretString !== undefined && { text: SecretString }),
  ...(SecretBinary !== undefined && { binary: SecretBinary }),
  createdAt: seconds(),
});

/** Moves stages to the new version; the current version becomes the previous one. */
export function supersededVersion(version: SecretVersion, taken: readonly string[]): SecretVersion {
  const left = version.stages.filter((stage) => !taken.includes(stage));
  if (!taken.includes('AWSCURRENT')) return { ...version, stages: left };
  const wasCurrent = version.stages.includes('AWSCURRENT');
  const stages = left.filter((stage) => stage !== 'AWSPREVIOUS');
  return { ...version, stages: wasCurrent ? [...stages, 'AWSPREVIOUS'] : stages };
}

const versionsMax = 100;
const secondsPerDay = 86_400;

/**
 * A version without a stage remains readable by id. Above a hundred versions, the oldest of them are removed, except
 * those under a day old.
 */
export function withoutOutdated(versions: readonly SecretVersion[]): SecretVersion[] {
  const yesterday = seconds() - secondsPerDay;
  const outdated = versions.filter(({ stages, createdAt }) => stages.length === 0 && createdAt < yesterday);
  const gone = new Set(outdated.slice(0, Math.max(0, versions.length - versionsMax)));
  const left = versions.filter((version) => !gone.has(version));
  if (left.length <= versionsMax) return left;
  throw limitExceeded('You have reached the maximum number of versions of a secret.');
}
