import { iterateTexts } from '../../core/json/json-texts.ts';
import { secretKeysInScript, secretKeysInTemplate } from '../../core/secret-references.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { Write } from '../../platform/data/writes.ts';
import { secretUseEntity } from '../secrets/secret.ts';
import { findHeldLists, walkSteps } from './steps/held-lists.ts';

interface WithConfig {
  config?: Record<string, unknown> | undefined;
}

/** Deeper than any valid config. */
const depthMax = 100;

/** The texts of a step's own config with their paths, without nested steps. */
export function listOwnTexts({ config = {} }: WithConfig) {
  const nested = new Set(findHeldLists(config).map(({ at: [name] }) => name));
  const plainMembers = Object.entries(config).filter(([name]) => !nested.has(name));
  return [...iterateTexts({ config: Object.fromEntries(plainMembers) }, [], depthMax)];
}

/** Without nested steps. Independent of the step types, so that saving a flow does not load them. */
export const secretKeysOfStep = (step: WithConfig): string[] => [
  ...new Set(listOwnTexts(step).flatMap(listTextSecretKeys)),
];

export const listTextSecretKeys = ({ text, path }: { text: string; path: readonly PropertyKey[] }) =>
  isScript(path) ? secretKeysInScript(text) : secretKeysInTemplate(text);

/** Scripts have a reference syntax of their own. */
const isScript = (path: readonly PropertyKey[]) =>
  path.length === 2 ? path[1] === 'script' : path.length === 6 && isInToolConfig(path) && path[5] === 'code';

/** Whether a path of a step leads into a runtime tool, whose texts are checked as those of a stored tool. */
export const isOfRuntimeTool = ([, tools, list]: readonly PropertyKey[]) =>
  tools === 'tools' && list === 'runtimeTools';

export const isInToolConfig = (path: readonly PropertyKey[]) => isOfRuntimeTool(path) && path[4] === 'config';

const keysBySteps = new WeakMap<readonly WithConfig[], string[]>();

/** The keys of all secrets that steps reference, including nested steps. Cached, since a version runs for every record. */
export function secretKeysOfSteps(steps: readonly WithConfig[]): string[] {
  const keys = keysBySteps.get(steps) ?? [
    ...new Set([...walkSteps(steps)].flatMap(({ step }) => secretKeysOfStep(step))),
  ];
  keysBySteps.set(steps, keys);
  return keys;
}

interface Naming {
  secretKeys?: string[] | undefined;
  publishedSecretKeys?: string[] | undefined;
}
const listNamedKeys = ({ secretKeys = [], publishedSecretKeys = [] }: Naming) =>
  new Set([...secretKeys, ...publishedSecretKeys]);

export function createSecretUseWrites(
  { writes }: TenantTable,
  by: string,
  before: Naming,
  after: Naming,
): Write[] {
  const [old, now] = [listNamedKeys(before), listNamedKeys(after)];
  return [
    ...[...now.difference(old)].map((key) => writes.put(secretUseEntity, { key, by })),
    ...[...old.difference(now)].map((key) => writes.remove(secretUseEntity, { key, by })),
  ];
}
