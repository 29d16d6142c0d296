import { walkSteps } from '../steps/held-lists.ts';
import type { FlowStep } from '../steps/step.ts';

/** Another flow that a step runs. */
export interface FlowTarget {
  flowId: string;
  /** `published`, or the id of a version. */
  version: string;
}

type StepLike = Pick<FlowStep, 'type'> & { config?: Readonly<Record<string, unknown>> | undefined };

/** @returns undefined for steps of other types */
export const findFlowTarget = ({ type, config }: StepLike): FlowTarget | undefined =>
  type === 'flow'
    ? { flowId: String(config?.flowId), version: String(config?.version ?? 'published') }
    : undefined;

/** The flows that steps run, with those that they hold. */
export const listFlowTargets = (steps: readonly FlowStep[]): FlowTarget[] =>
  [...walkSteps(steps)].flatMap(({ step }) => findFlowTarget(step) ?? []);
