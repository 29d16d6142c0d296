import { measure } from '../../core/invocation.ts';
import { type Attempt, attemptsMax } from '../../domain/flows/steps/attempt.ts';
import {
  type EngineRunEvent,
  type FlowEnd,
  type FlowRun,
  type OpenWait,
  runFlow,
  type StepResult,
} from '../engine/engine.ts';
import { resultAttempts } from '../step-support/attempts.ts';
import type { LocalCall } from '../step-support/step-runner.ts';
import { appendOutputs } from './append-outputs.ts';
import type { RunRecorder } from './checkpoints/run-recorder.ts';
import { openEffectWrites } from './effect-writes.ts';
import { measureStep } from './measure-step.ts';
import { openUnrecorded } from './unrecorded-failures.ts';

export interface RunAttempt extends Omit<FlowRun, 'done'> {
  /** Results of earlier attempts by path. This attempt adds its own. */
  done: Map<string, StepResult>;
  recorder: RunRecorder;
  /** How each step was tried in earlier attempts, by path. */
  retries?: ReadonlyMap<string, Retried>;
  /** Whether a run that fails with a retryable error stays open for a retry. */
  mayRetry?: boolean;
  /** Whether another process goes on with the run if this one dies. */
  mayGoOn?: boolean;
  /** The record that receives the output variables of a successful run. The run fails if that is impossible. */
  appendsTo?: string | undefined;
}

export interface Retried {
  count: number;
  attempts: Attempt[];
  delayMs: number;
}

export type RunAttemptOutcome =
  | { end: FlowEnd }
  | { suspended: { waits: OpenWait[]; until: Date } }
  | { awaiting: { call: LocalCall } }
  /** The failed step from which to retry the run. */
  | { retryFrom: StepResult };

/** Runs a flow, or the rest of it, and stores its results. When those of steps with effects are written: `effect-writes.ts`. */
export async function attemptRun(attempt: RunAttempt): Promise<RunAttemptOutcome> {
  const { recorder, done, retries, mayRetry = false, mayGoOn = false, appendsTo, onEvent, ...run } = attempt;
  const writes = openEffectWrites(recorder, mayGoOn);
  const failures = openUnrecorded();
  const spend = (tried: readonly StepResult[]) => {
    for (const { modelCalls = [] } of tried) recorder.spend(modelCalls);
  };
  const write = async (result: StepResult) => {
    done.set(result.path, result);
    await recorder.add(result);
  };
  const take = async (event: EngineRunEvent) => {
    if (event.type === 'step_start') {
      spend(failures.takeAt(event.path));
      await writes.begin(event);
      return onEvent?.(event);
    }
    measureStep(event.result);
    const result = withRetried(event.result, retries?.get(event.result.path));
    if (event.isFinal) {
      for (const failure of failures.takeAt(result.path)) await write(failure);
      await write(result);
    } else failures.add(result);
    await writes.end(event);
    await onEvent?.({ ...event, result });
  };
  const outcome = await runFlow({
    ...run,
    done,
    onEvent: take,
    onKept: recorder.keep,
    ...(mayGoOn && { onMark: recorder.mark }),
    onInterrupted: recorder.interrupt,
  });
  if ('waits' in outcome) {
    spend(failures.all());
    return suspended(recorder, outcome.waits, run.waiting);
  }
  const [first] = failures.all();
  if (first && outcome.end.retryable && mayRetry && !outcome.end.success) {
    spend(failures.all());
    return { retryFrom: first };
  }
  for (const failure of failures.all()) await write(failure);
  const end = outcome.end.success && appendsTo ? await append(appendsTo, outcome.end) : outcome.end;
  if (end.success) await recorder.finish(null, end.output);
  else await recorder.finish(end.error ?? 'The run failed', undefined, end.errorCode);
  measure(end.success ? 'RunsCompleted' : 'RunsFailed');
  return { end };

  async function append(recordId: string, end: FlowEnd): Promise<FlowEnd> {
    // As before any step with effects, so that no model call is paid for twice.
    await writes.flush();
    const error = await appendOutputs(run.ports.records, recordId, run.steps, done);
    return error === undefined ? end : { ...end, success: false, error };
  }
}

async function suspended(
  recorder: RunRecorder,
  waits: readonly OpenWait[],
  before: RunAttempt['waiting'] = [],
): Promise<RunAttemptOutcome> {
  const call = waits.find((wait) => wait.call);
  const stored = waits.map(({ path, since, ...wait }) => ({
    path,
    since,
    ...(call && wait.call === call.call && { isCall: true as const }),
  }));
  await recorder.suspend(stored, before);
  measure('RunsSuspended');
  if (call?.call) return { awaiting: { call: call.call } };
  const times = waits.flatMap(({ until }) => (until ? [until.getTime()] : []));
  return { suspended: { waits: [...waits], until: new Date(Math.min(...times)) } };
}

function withRetried(result: StepResult, retried: Retried | undefined): StepResult {
  if (!retried) return result;
  const { count, attempts, delayMs } = retried;
  const again = resultAttempts(result).map((attempt, index) =>
    index === 0 ? { ...attempt, type: 'run-retry' as const, delayMs } : attempt,
  );
  return {
    ...result,
    retryCount: result.retryCount + count,
    attempts: [...attempts, ...again].slice(0, attemptsMax),
  };
}
