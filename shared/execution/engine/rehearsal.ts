import type { RunPath } from '../../domain/flows/steps/run-path.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import type { StepOutcome, StepPlan } from '../step-support/step-runner.ts';

/** Walks through a flow without its effects: steps that cost or act are planned, and never performed. */
export interface Rehearsal {
  /** Instead of performing a plan. @param earlier The result that would stand in for it in a run that reuses some */
  act: (
    place: { step: FlowStep; path: RunPath },
    plan: StepPlan<unknown>,
    earlier: StepOutcome | undefined,
  ) => StepOutcome | Promise<StepOutcome>;
  /** Instead of a step that costs nothing, but takes long. Undefined if the step shall run. */
  insteadOf: (step: FlowStep) => StepOutcome | undefined;
}
