import type { TenantTable } from '../data/table.ts';
import type { Write } from '../data/writes.ts';
import { secretUseEntity } from '../secrets/secret.ts';
import { keysOfScript, keysOfTemplate } from './secret-references.ts';
import { branchesOf } from './steps/branches.ts';
import { stepTypeOf } from './steps/index.ts';
import { textsIn } from './templates.ts';

/** A step as it was sent or as it is stored. */
export interface SentStep {
  type: string;
  config?: Record<string, unknown> | undefined;
}

/** The keys of the secrets that a step names itself, without those nested in it. */
export function keysOfStep({ type, config }: SentStep): string[] {
  const { secrets } = stepTypeOf(type);
  if (!secrets) return [];
  const keysIn = secrets === 'script' ? keysOfScript : keysOfTemplate;
  return [...new Set([...textsIn(config)].flatMap(({ text }) => keysIn(text)))];
}

const known = new WeakMap<readonly SentStep[], string[]>();

/** The keys of all secrets that steps name, nested ones too. Remembered, since a version is run for every record. */
export function keysOfSteps(steps: readonly SentStep[]): string[] {
  const keys = known.get(steps) ?? [
    ...new Set(steps.flatMap((step) => [...keysOfStep(step), ...nestedKeys(step)])),
  ];
  known.set(steps, keys);
  return keys;
}

const nestedKeys = ({ config }: SentStep) =>
  branchesOf(config).flatMap(([, branch]) => keysOfSteps(branch as SentStep[]));

/** What a flow means for the count of a secret's uses: it names those of its draft and those of what is published. */
export interface Naming {
  secretKeys?: string[] | undefined;
  publishedSecretKeys?: string[] | undefined;
}
export const namedBy = ({ secretKeys = [], publishedSecretKeys = [] }: Naming) =>
  new Set([...secretKeys, ...publishedSecretKeys]);

/** Notes which secrets something names now, and no longer. */
export function useWrites({ writes }: TenantTable, by: string, before: Naming, after: Naming): Write[] {
  const [old, now] = [namedBy(before), namedBy(after)];
  return [
    ...[...now.difference(old)].map((key) => writes.put(secretUseEntity, { key, by })),
    ...[...old.difference(now)].map((key) => writes.remove(secretUseEntity, { key, by })),
  ];
}
