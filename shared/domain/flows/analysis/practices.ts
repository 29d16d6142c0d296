import type { StepNode } from '../checking/step-nodes.ts';
import { stepTypes } from '../step-types/index.ts';
import type { AnyStepType } from '../steps/step.ts';
import { type Finding, finding } from './finding.ts';

/** What works, but is seldom meant. */
export function* practices(visits: readonly StepNode[]): Generator<Finding, void> {
  for (const visit of visits) {
    const { type, config } = visit.step;
    if (type === 'prompt' && config.outputVariable === undefined && !visit.last) {
      yield finding(
        visit,
        ['config', 'outputVariable'],
        'OUTPUT_NOT_KEPT',
        'The model’s answer is kept in no variable: the next steps cannot use it',
      );
    }
    if (reachesOutside(type) && config.errorHandling === undefined) {
      yield finding(
        visit,
        ['config', 'errorHandling'],
        'NO_ERROR_HANDLING',
        'The step reaches outside; where it fails, the run ends. errorHandling can try it again or go on',
      );
    }
  }
}

function reachesOutside(type: string): boolean {
  const types: Record<string, AnyStepType> = stepTypes;
  return Object.hasOwn(types, type) && types[type]?.effects === true;
}
