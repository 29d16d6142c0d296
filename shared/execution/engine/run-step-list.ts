import { evaluateExpression } from '../../adapters/code/evaluate-code.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { flowing } from '../../core/redaction/hidden.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import { stepErrorHandling } from '../../domain/flows/steps/error-handling.ts';
import { listsAround } from '../../domain/flows/steps/run-path.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import type { EngineState, StepResult } from './engine.ts';
import { applyResult, type Frame } from './frame.ts';
import { runStep } from './run-step.ts';
import { takeOverInside } from './take-over.ts';

export interface ListEnd {
  failure?: StepResult;
  isWaiting?: true;
}

/** Runs the steps of a list one after another. @param base Of their paths: `2.true.` @throws as `runFlow` */
export async function runStepList(
  state: EngineState,
  frame: Frame,
  steps: readonly FlowStep[],
  base: string,
): Promise<ListEnd> {
  for (const [index, step] of steps.entries()) {
    if (!step.enabled) continue;
    frame.signal.throwIfAborted();
    const turn = state.bounds.beginStep();
    if (turn) await turn;
    const { failure, isWaiting } = await runPlaced(state, frame, step, `${base}${index}`);
    if (failure || isWaiting) return { ...(failure && { failure }), ...(isWaiting && { isWaiting }) };
  }
  return {};
}

async function runPlaced(state: EngineState, frame: Frame, step: FlowStep, path: string): Promise<ListEnd> {
  const done = state.done?.get(path);
  const known = done ?? state.earlier?.at(path);
  if (known?.unmasked) await state.secrets.reopen(known.unmasked.keys);
  const { effects, branch: branchOf } = getStepType(step.type);
  const refused = known || !step.when ? undefined : await checkCondition(state, frame, step.when);
  const isSkipped = known?.status === 'skipped' || (refused && 'skipped' in refused);
  if (!done && !isSkipped) {
    await state.onEvent?.({ type: 'step_start', step, path, effects: effects && !known });
  }
  const result = known ?? (await runStep(state, frame, { step, path, refused }));
  if ('isWaiting' in result) return result;
  // The steps of one that ran now have been added one by one.
  if (known || !result.isSum) frame.sums?.add(result);
  const isFailure = result.status === 'failed' && stepErrorHandling(step)?.onError !== 'continue';
  // What was taken over is stored already, and need not be stored before the next step.
  if (!done) {
    const facts = { effects: effects && !result.reusedFrom, isFinal: !isFailure || frame.absorbs };
    if (facts.isFinal) for (const list of listsAround(path)) state.begun.add(list);
    await state.onEvent?.({ type: 'step_end', step, result, ...facts });
  }
  await endWaitsIn(state, path);
  if (known?.isSum) await takeOverInside(state, frame, path, done !== undefined);
  if (isFailure) return { failure: result };
  if (result.status !== 'completed') return {};
  applyResult(frame, step, result);
  const branch = branchOf?.(step.config, flowing(result));
  return branch ? runStepList(state, frame, branch.steps, `${path}.${branch.name}.`) : {};
}

/** What waited inside of a step that has ended waits no more. After its result, without which it would wait again. */
async function endWaitsIn({ waits, ports }: EngineState, path: string): Promise<void> {
  for (const [each, { isAnswerable }] of [...waits]) {
    if (!each.startsWith(`${path}.`)) continue;
    waits.delete(each);
    if (isAnswerable) await ports.waits.close(each);
  }
}

export type NotRun = { skipped: true } | { error: StepError };

/** Why a step does not run: its condition is false, or cannot be evaluated. */
async function checkCondition(
  { ports }: EngineState,
  { variables, signal }: Frame,
  when: string,
): Promise<NotRun | undefined> {
  try {
    return (await evaluateExpression(ports.sandbox, when, variables, { signal, shown: ports.shown }))
      ? undefined
      : { skipped: true };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StepError) return { error };
    throw error;
  }
}
