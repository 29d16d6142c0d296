import type { Ports } from '../../adapters/ports/ports.ts';
import { flowing } from '../../core/redaction/hidden.ts';
import type { Variables } from '../../core/variables/variables.ts';
import { type FlowStep, outputVariableName } from '../../domain/flows/steps/step.ts';
import type { StepResult } from './engine.ts';
import type { StepSums } from './step-sums.ts';

/** What the steps of a list see and change. */
export interface Frame {
  variables: Variables;
  /** Those of the variables that its steps have set. */
  own: Variables;
  signal: AbortSignal;
  /** With those who pay for its model calls. */
  ports: Ports;
  /** The output of the last step that has one. */
  last: Pick<StepResult, 'output' | 'unmasked'>;
  /** Whether a step around the list goes on after a failure in it, and none between them is tried again. */
  absorbs: boolean;
  /** Of the step that holds the list. */
  sums?: StepSums | undefined;
}

/** Gives the output of a step to the steps after it. */
export function applyResult(frame: Frame, step: FlowStep, result: StepResult): void {
  setVariables(frame, step, result);
  frame.last = result;
}

export function setVariables({ variables, own }: Frame, step: FlowStep, result: StepResult): void {
  const variable = outputVariableName(step);
  if (!variable) return;
  const { errors } = result;
  const set = { [variable]: flowing(result), ...(errors && { [`${variable}Errors`]: errors }) };
  Object.assign(variables, set);
  Object.assign(own, set);
}
