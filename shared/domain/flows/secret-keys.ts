import { textsIn } from '../../core/json-texts.ts';
import { secretKeysInScript, secretKeysInTemplate } from '../../core/secret-references.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { Write } from '../../platform/data/writes.ts';
import { secretUseEntity } from '../secrets/secret.ts';
import { branchesOf, walkSteps } from './steps/walk-steps.ts';

/** A step as it was sent or as it is stored. */
interface WithConfig {
  config?: Record<string, unknown> | undefined;
}

/** Deeper than any config may be. */
const depthMax = 100;

/** The texts of a step's own config, without those of the steps nested in it, with their paths. */
export function ownTexts({ config = {} }: WithConfig) {
  const nested: string[] = branchesOf(config).map(([name]) => name);
  const own = Object.entries(config).filter(([name]) => !nested.includes(name));
  return [...textsIn({ config: Object.fromEntries(own) }, [], depthMax)];
}

/** The keys of the secrets that a step names itself. Told by the texts alone: who saves a flow needs no step's code. */
export const keysOfStep = (step: WithConfig): string[] => [...new Set(ownTexts(step).flatMap(keysOfText))];

/** The keys of the secrets that one text of a config names. */
export const keysOfText = ({ text, path }: { text: string; path: readonly PropertyKey[] }) =>
  isScript(path) ? secretKeysInScript(text) : secretKeysInTemplate(text);

/** The member of a config that is a script: it has its own way of naming secrets. */
const isScript = (path: readonly PropertyKey[]) => path.length === 2 && path[1] === 'script';

const known = new WeakMap<readonly WithConfig[], string[]>();

/** The keys of all secrets that steps name, nested ones too. Remembered, since a version is run for every record. */
export function keysOfSteps(steps: readonly WithConfig[]): string[] {
  const keys = known.get(steps) ?? [
    ...new Set([...walkSteps(steps)].flatMap(({ step }) => keysOfStep(step))),
  ];
  known.set(steps, keys);
  return keys;
}

/** What a flow means for the count of a secret's uses: it names those of its draft and those of what is published. */
interface Naming {
  secretKeys?: string[] | undefined;
  publishedSecretKeys?: string[] | undefined;
}
const namedBy = ({ secretKeys = [], publishedSecretKeys = [] }: Naming) =>
  new Set([...secretKeys, ...publishedSecretKeys]);

/** Notes which secrets something names now, and no longer. */
export function useWrites({ writes }: TenantTable, by: string, before: Naming, after: Naming): Write[] {
  const [old, now] = [namedBy(before), namedBy(after)];
  return [
    ...[...now.difference(old)].map((key) => writes.put(secretUseEntity, { key, by })),
    ...[...old.difference(now)].map((key) => writes.remove(secretUseEntity, { key, by })),
  ];
}
