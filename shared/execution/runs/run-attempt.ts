import { type Run, type RunEvent, runFlow, type StepResult, type Wait } from '../engine/engine.ts';
import { appendOutputs } from './append-outputs.ts';
import type { RunRecorder } from './checkpoints/run-recorder.ts';
import { outputVariablesOf } from './output-variables.ts';

export interface RunAttempt extends Omit<Run, 'done'> {
  /** What earlier attempts did, by path; what this one does is added. */
  done: Map<string, StepResult>;
  recorder: RunRecorder;
  /** How often each step was tried again, by its path. */
  retries?: ReadonlyMap<string, number>;
  /** Whether a run that fails for a reason that may pass is left open, to be tried again. */
  mayRetry?: boolean;
  /** The record that takes the output variables of a run that succeeds. Where it cannot, the run fails. */
  appendsTo?: string | undefined;
  /** Told what happens as it happens; the run waits for it. */
  onEvent?: (event: RunEvent) => Promise<void> | void;
}

type RunEnd = Extract<RunEvent, { type: 'run_end' }>;

export type RunAttemptOutcome =
  | { end: RunEnd }
  | { suspended: { wait: Wait; until: Date } }
  /** The path of the step from which the run should be tried again. */
  | { retryFrom: string };

/**
 * Runs the steps and writes down what they did. A step that reached outside is written down before the next one
 * begins; what follows it without effects is written together with the next one that has some, or with the end.
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
    // As before any step that reaches outside, so that no model call before it is paid for twice.
    if (unwrittenEffects) await recorder.flush();
    const error = await appendOutputs(run.ports.records, recordId, outputVariablesOf(run.steps, done));
    return error === undefined ? end : { ...end, success: false, error };
  };
  for await (const event of runFlow({ ...run, done })) {
    if (event.type === 'run_end') {
      if (failed && event.retryable && mayRetry && !event.success) return { retryFrom: failed.path };
      await write(failed);
      const end = event.success && appendsTo ? await append(event, appendsTo) : event;
      await recorder.finish(end.success ? null : (end.error ?? 'The run failed'));
      await onEvent?.(end);
      return { end };
    }
    // Whether a failed step is written shows with what comes next: one that ends the run may be tried again.
    await write(failed);
    failed = undefined;
    if (event.type === 'suspend') {
      // A poll in vain leaves nothing to write.
      if (run.waiting?.path !== event.wait.path) await recorder.suspend(event.wait);
      await onEvent?.(event);
      return { suspended: event };
    }
    if (event.type === 'step_start') {
      if (unwrittenEffects) await recorder.flush();
      unwrittenEffects = false;
      await onEvent?.(event);
    } else {
      const retryCount = event.result.retryCount + (retries?.get(event.result.path) ?? 0);
      const result = { ...event.result, retryCount };
      if (result.status === 'failed') failed = result;
      else await write(result);
      unwrittenEffects ||= event.effects;
      await onEvent?.({ ...event, result });
    }
  }
  throw new Error('The engine told no end');
}
