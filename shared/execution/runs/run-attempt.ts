import { measure } from '../../core/invocation.ts';
import { type Attempt, attemptsMax } from '../../domain/flows/steps/attempt.ts';
import { type FlowRun, type RunEvent, runFlow, type StepResult, type StepWait } from '../engine/engine.ts';
import { attemptsOf } from '../step-support/attempts.ts';
import type { LocalCall } from '../step-support/step-runner.ts';
import { appendOutputs } from './append-outputs.ts';
import type { RunRecorder } from './checkpoints/run-recorder.ts';
import { outputVariablesOf } from './output-variables.ts';
import { measureStep } from './run-metrics.ts';

export interface RunAttempt extends Omit<FlowRun, 'done'> {
  /** Results of earlier attempts by path. This attempt adds its own. */
  done: Map<string, StepResult>;
  recorder: RunRecorder;
  /** How each step was tried in earlier attempts, by path. */
  retries?: ReadonlyMap<string, Retried>;
  /** Whether a run that fails with a retryable error stays open for a retry. */
  mayRetry?: boolean;
  /** The record that receives the output variables of a successful run. The run fails if that is impossible. */
  appendsTo?: string | undefined;
  /** Receives each event. The run waits for it. */
  onEvent?: (event: RunEvent) => Promise<void> | void;
}

export interface Retried {
  count: number;
  attempts: Attempt[];
  delayMs: number;
}

type RunEnd = Extract<RunEvent, { type: 'run_end' }>;

export type RunAttemptOutcome =
  | { end: RunEnd }
  | { suspended: { wait: StepWait; until: Date } }
  | { awaiting: { wait: StepWait; call: LocalCall } }
  /** The failed step from which to retry the run. */
  | { retryFrom: StepResult };

/**
 * Writes the result of a step with effects before the next such step begins, and soon if others follow; the others with
 * the next checkpoint.
 */
export async function attemptRun({
  recorder,
  done,
  retries,
  mayRetry = false,
  appendsTo,
  onEvent,
  ...run
}: RunAttempt): Promise<RunAttemptOutcome> {
  let failed: StepResult | undefined;
  let unwrittenEffects = false;
  const write = async (result: StepResult | undefined) => {
    if (!result) return;
    done.set(result.path, result);
    await recorder.add(result);
  };
  const append = async (end: RunEnd, recordId: string): Promise<RunEnd> => {
    // As before any step with effects, so that no model call is paid for twice.
    if (unwrittenEffects) await recorder.flush();
    const error = await appendOutputs(run.ports.records, recordId, outputVariablesOf(run.steps, done));
    return error === undefined ? end : { ...end, success: false, error };
  };
  for await (const event of runFlow({ ...run, done, onInterrupted: recorder.interrupt })) {
    if (event.type === 'run_end') {
      if (failed && event.retryable && mayRetry && !event.success) {
        recorder.spend(failed.modelCalls ?? []);
        return { retryFrom: failed };
      }
      await write(failed);
      const end = event.success && appendsTo ? await append(event, appendsTo) : event;
      if (end.success) await recorder.finish(null, end.output);
      else await recorder.finish(end.error ?? 'The run failed');
      measure(end.success ? 'RunsCompleted' : 'RunsFailed');
      await onEvent?.(end);
      return { end };
    }
    // A failed step is recorded only when another step follows: one that ends the run may be retried.
    await write(failed);
    failed = undefined;
    if (event.type === 'suspend') {
      // A poll without a result changes nothing.
      if (run.waiting?.path !== event.wait.path) await recorder.suspend(event.wait);
      measure('RunsSuspended');
      await onEvent?.(event);
      return { suspended: event };
    }
    if (event.type === 'await') {
      await recorder.suspend(event.wait);
      measure('RunsSuspended');
      await onEvent?.(event);
      return { awaiting: event };
    }
    if (event.type === 'step_start') {
      if (unwrittenEffects && event.effects) await recorder.flush();
      else if (unwrittenEffects) recorder.flushSoon();
      unwrittenEffects &&= !event.effects;
      await onEvent?.(event);
    } else {
      measureStep(event.result);
      const result = withRetried(event.result, retries?.get(event.result.path));
      if (result.status === 'failed') failed = result;
      else await write(result);
      unwrittenEffects ||= event.effects;
      await onEvent?.({ ...event, result });
    }
  }
  throw new Error('The engine ended without a final event');
}

function withRetried(result: StepResult, retried: Retried | undefined): StepResult {
  if (!retried) return result;
  const { count, attempts, delayMs } = retried;
  const again = attemptsOf(result).map((attempt, index) =>
    index === 0 ? { ...attempt, type: 'run-retry' as const, delayMs } : attempt,
  );
  return {
    ...result,
    retryCount: result.retryCount + count,
    attempts: [...attempts, ...again].slice(0, attemptsMax),
  };
}
