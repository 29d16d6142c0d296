import type { AnyStepType } from '../step.ts';
import { apiCallStep } from './api-call.ts';
import { conditionalStep } from './conditional.ts';
import { promptStep } from './prompt.ts';
import { setVariableStep } from './set-variable.ts';
import { templateStep } from './template.ts';
import { transformDataStep } from './transform-data.ts';
import { upsertRecordStep } from './upsert-record.ts';

/** Every type of step, by its name. A new one is a file here and a line below. */
export const stepTypes = {
  prompt: promptStep,
  template: templateStep,
  'transform-data': transformDataStep,
  conditional: conditionalStep,
  'set-variable': setVariableStep,
  'api-call': apiCallStep,
  'upsert-record': upsertRecordStep,
} satisfies Record<string, AnyStepType>;

export const stepTypeNames = Object.keys(stepTypes) as (keyof typeof stepTypes)[];

/** The type of a stored step, which was checked when it was saved. */
export function stepTypeOf(name: string): AnyStepType {
  const types: Record<string, AnyStepType> = stepTypes;
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (!type) throw new Error(`There is no step type ${name}`);
  return type;
}
