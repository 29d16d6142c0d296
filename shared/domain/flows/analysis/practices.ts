import type { StepNode } from '../checking/step-nodes.ts';
import { stepTypes } from '../step-types/index.ts';
import type { AnyStepType } from '../steps/step.ts';
import { type Finding, finding } from './finding.ts';

/** Finds what is valid, but usually a mistake. */
export function* practices(visits: readonly StepNode[]): Generator<Finding, void> {
  for (const visit of visits) {
    const { type, config } = visit.step;
    if (type === 'prompt' && config.outputVariable === undefined && !visit.last) {
      yield finding(
        visit,
        ['config', 'outputVariable'],
        'OUTPUT_NOT_KEPT',
        'No variable takes the model’s response, so later steps cannot use it; set outputVariable',
      );
    }
    if (mayBeHandled(type) && config.errorHandling === undefined && !visit.step.retries) {
      yield finding(
        visit,
        ['config', 'errorHandling'],
        'NO_ERROR_HANDLING',
        'The run ends if this step fails; set errorHandling to retry the step or to continue',
      );
    }
  }
}

/** Whether a step reaches outside, and takes a handling of its errors. */
function mayBeHandled(type: string): boolean {
  const types: Record<string, AnyStepType> = stepTypes;
  const { effects, config } = (Object.hasOwn(types, type) && types[type]) || {};
  return effects === true && config?.shape.errorHandling !== undefined;
}
