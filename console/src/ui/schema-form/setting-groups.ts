import { formTexts } from '../../texts/forms.ts';
import { isObject, type JsonSchema } from '../values/schema.ts';
import { toLabel } from './labels.ts';

/** Settings that people look for together, in the order of a form. */
export const settingGroups = ['model', 'memory', 'output', 'limits', 'errors', 'others'] as const;
export type SettingGroup = (typeof settingGroups)[number];

const members: Partial<Record<SettingGroup, readonly string[]>> = {
  model: [
    'temperature',
    'topP',
    'topK',
    'frequencyPenalty',
    'presencePenalty',
    'seed',
    'reasoning',
    'thinkingLevel',
    'promptCaching',
    'advisor',
    'embeddingModel',
  ],
  memory: ['memory', 'previousMessages', 'temporal', 'sessionId', 'profileTemplate'],
  output: [
    'responseFormat',
    'responseType',
    'responseMapping',
    'responseLength',
    'outputFormat',
    'streamOutput',
    'asArtifact',
    'artifacts',
    'output',
    'voice',
    'style',
    'visibility',
  ],
  limits: [
    'loopConfig',
    'maxTokens',
    'timeoutMs',
    'timeoutMinutes',
    'concurrency',
    'limit',
    'depth',
    'maxPages',
    'maxResults',
    'threshold',
    'pollIntervalMs',
    'refreshIntervalMinutes',
  ],
  errors: ['errorHandling', 'retry', 'retryCount', 'onError', 'onTimeout', 'onLimit', 'defaultValue'],
};

const groupsByMember = new Map(
  Object.entries(members).flatMap(([group, names]) => names.map((name) => [name, group as SettingGroup])),
);

export const findSettingGroup = (name: string): SettingGroup => groupsByMember.get(name) ?? 'others';

const shownMax = 4;
const valueMax = 40;

/**
 * What the closed head of a group says: what is set in it, else what it holds. Members of an object count by themselves.
 * @param schemaOf Of a member.
 */
export function describeSettings(
  names: readonly string[],
  value: Readonly<Record<string, unknown>>,
  schemaOf: (name: string) => JsonSchema,
): string {
  const all = names.flatMap((name): [string, unknown][] => {
    const inside = Object.keys(schemaOf(name).properties ?? {});
    const held = value[name];
    if (inside.length === 0) return [[name, held]];
    return inside.map((member) => [member, isObject(held) ? held[member] : undefined]);
  });
  const set = all.filter(([, held]) => isSet(held));
  const shown = set.length > 0 ? set : all;
  const words = shown.slice(0, shownMax).map(([name, held]) => `${toLabel(name)} ${valueText(held)}`.trim());
  const more = shown.length - words.length;
  return [...words, ...(more > 0 ? [formTexts.andMore(more)] : [])].join(', ');
}

const isSet = (value: unknown) =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(isObject(value) && Object.keys(value).length === 0);

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? formTexts.on : formTexts.off;
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, valueMax) : '';
}
