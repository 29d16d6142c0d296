import { StepError } from '../../core/errors/step-error.ts';
import { measure } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import type { EndFact } from '../agent-loop/facts.ts';
import { BudgetSpent } from '../agent-loop/run-budget.ts';
import { endFact, type RunState } from '../agent-loop/state.ts';
import { RunCancelled } from '../runs/cancellation.ts';
import { AttemptsFailed } from '../step-support/attempts.ts';

/** Why a run ended otherwise than by its loop. */
export interface Interruption {
  error: unknown;
  callerSignal: AbortSignal | undefined;
  timeout: AbortSignal;
  timeoutMs: number;
  requestId: string | undefined;
  /** Whether the failure of a model is no failure of the run. */
  goesOn: boolean;
}

export function endAfter(
  { error, callerSignal, timeout, timeoutMs, requestId, goesOn }: Interruption,
  state: RunState,
  at: Date,
): EndFact {
  if (callerSignal?.aborted) return disconnected(state, at, callerSignal.reason);
  if (timeout.aborted) {
    return endFact(
      state,
      { stopReason: 'timeout', error: `The run exceeded its time limit of ${timeoutMs / 1_000} s` },
      at,
    );
  }
  if (error instanceof BudgetSpent) return endFact(state, { stopReason: 'max_cost', error: null }, at);
  if (error instanceof StepError) {
    const { code, message } = error;
    const ended = endFact(state, { stopReason: 'error', error: goesOn && !code ? null : message }, at);
    const end = code ? { ...ended, errorCode: code } : ended;
    return error instanceof AttemptsFailed ? { ...end, attempts: error.attempts } : end;
  }
  log.error('A run of an agent failed', { error });
  measure('RunsFailed');
  const report = requestId ? `; report the request id ${requestId}` : '';
  return endFact(
    state,
    { stopReason: 'error', error: `The run failed because of an internal error${report}` },
    at,
  );
}

/** @param reason Why its caller is gone, which may be a run that somebody has cancelled. */
export const disconnected = (state: RunState, at: Date, reason?: unknown): EndFact => {
  const isCancelled = reason instanceof RunCancelled;
  const error = isCancelled ? 'The run around it was cancelled' : 'The caller disconnected';
  return endFact(state, { stopReason: 'cancelled', error }, at);
};
