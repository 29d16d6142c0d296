import { stepDataTexts } from '../../../texts/step-data.ts';
import { eachStep } from '../steps/places.ts';
import { variableSetter } from '../steps/scopes.ts';
import { type Step, stepVariable } from '../steps/steps.ts';
import { usedVariables, variableReaders } from './uses.ts';

/** A variable as steps after its setter see it. */
export interface PointedVariable {
  name: string;
  /** The step that sets it; none, if the run gets it as an input. */
  setterId: string | undefined;
}

/** What somebody points at: a variable, and what steps have to do with it, by their ids: `sets city`. */
export interface Marked {
  variable: PointedVariable | undefined;
  steps: ReadonlyMap<string, string>;
}

/** Of a variable that a step reads: the step that sets it. Undefined, if the step reads no such variable. */
export function markedByUse(steps: readonly Step[], stepId: string, name: string): Marked | undefined {
  const step = stepIn(steps, stepId);
  if (!step || !usedVariables(step).includes(name)) return undefined;
  const setter = variableSetter(steps, stepId, name);
  return {
    variable: { name, setterId: setter?.id },
    steps: new Map(setter ? [[setter.id, stepDataTexts.setsName(name)]] : []),
  };
}

/** Of what a step sets: the steps that read it. */
export function markedByOutput(steps: readonly Step[], step: Step): Marked {
  const name = stepVariable(step);
  return {
    variable: name ? { name, setterId: step.id } : undefined,
    steps: new Map(
      name ? variableReaders(steps, step).map(({ id }) => [id, stepDataTexts.usesVariable(name)]) : [],
    ),
  };
}

/** Of a step: the steps that read what it sets, and those that set what it reads. */
export function markedByStep(steps: readonly Step[], step: Step): Marked {
  const output = markedByOutput(steps, step);
  const setters = usedVariables(step).flatMap((used) => {
    const setter = variableSetter(steps, step.id, used);
    return setter ? [[setter.id, stepDataTexts.setsName(used)] as const] : [];
  });
  return { ...output, steps: new Map([...setters, ...output.steps]) };
}

/** Of the input of a run: the steps that read it, the record first. */
export function markedByInput(steps: readonly Step[]): Marked {
  const readers = [...eachStep(steps)].flatMap(({ step }) => {
    const read = usedVariables(step).filter((name) => isInput(name) && !variableSetter(steps, step.id, name));
    return read.length > 0 ? [[step.id, stepDataTexts.usesVariable(read.join(', '))] as const] : [];
  });
  return { variable: undefined, steps: new Map(readers) };
}

/** Names that begin with a line are those of every run, but for the record. */
export const isInput = (name: string) => name === '_record' || !name.startsWith('_');

const stepIn = (steps: readonly Step[], id: string) =>
  [...eachStep(steps)].find(({ step }) => step.id === id)?.step;
