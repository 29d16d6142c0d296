import { definitionPath, findShownPlace } from '../../domain/flows/steps/run-path.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';

/** The steps of a version by their paths. */
export type StepsByPath = ReadonlyMap<string, FlowStep>;

/** The path of a step inside of another one, as people read it. */
export const placeAttributes = (steps: StepsByPath, path: string) =>
  path.includes('.')
    ? { 'flow.step.path': findShownPlace((at) => steps.get(definitionPath(at)), path).stepPath }
    : {};
