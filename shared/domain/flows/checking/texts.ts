import { stepTypes } from '../step-types/index.ts';
import { type ConfigText, listConfigTexts } from '../steps/config-texts.ts';
import type { AnyStepType } from '../steps/step.ts';
import type { UncheckedStep } from './step-nodes.ts';

/** The texts of a step that read variables, found through the schema of its type. */
export function listEvaluatedTexts({
  type,
  config,
  when,
}: Pick<UncheckedStep, 'type' | 'config'> & { when?: string | undefined }): ConfigText[] {
  const types: Record<string, AnyStepType> = stepTypes;
  const stepType = Object.hasOwn(types, type) ? types[type] : undefined;
  // Keyed by path, since several options of a union may find the same text.
  const found = new Map<string, ConfigText>();
  if (when !== undefined) found.set('when', { kind: 'expression', text: when, path: ['when'] });
  if (!stepType) return [...found.values()];
  for (const text of listConfigTexts(stepType.config, config)) found.set(text.path.join('.'), text);
  return [...found.values()];
}
