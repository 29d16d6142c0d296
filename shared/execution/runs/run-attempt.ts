/**
 * Runs a flow, or the rest of it, once, and decides when each result is written.
 * A step with effects has its result written before the next such step begins, and soon (`soonMs`) if others follow; in
 * items of maps in groups. So a crash repeats at most the last act, or a few of items. What acts by itself marks its act
 * before it is done (`engine/try-step.ts`).
 * A failure that may still be retried is not recorded until it is final: its model calls are counted, its result only
 * with the end.
 * The outcome is an end (recorded), a suspension (recorded), a call that the caller executes, or the failed step from
 * which `record-runs/run-record.ts` retries.
 * Output variables are appended to the record before the end is recorded; if that fails, so does the run.
 */
import type { RecordsPort } from '../../adapters/ports/records-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { measure } from '../../core/invocation.ts';
import { toFlowingValue } from '../../core/redaction/hidden.ts';
import type { Variables } from '../../core/variables.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import { type Attempt, attemptsMax } from '../../domain/flows/steps/attempt.ts';
import { walkSteps } from '../../domain/flows/steps/held-lists.ts';
import { definitionPath, isOwnScope, listsAround, type RunPath } from '../../domain/flows/steps/run-path.ts';
import { type FlowStep, outputVariableName } from '../../domain/flows/steps/step.ts';
import {
  type EngineRunEvent,
  type FlowEnd,
  type FlowRun,
  type OpenWait,
  runFlow,
  type StepResult,
} from '../engine/engine.ts';
import { getResultAttempts } from '../step-support/attempts.ts';
import type { LocalCall } from '../step-support/step-runner.ts';
import type { RunRecorder } from './run-recorder.ts';

interface RunAttempt extends Omit<FlowRun, 'done'> {
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

type RunAttemptOutcome =
  | { end: FlowEnd }
  | { suspended: { waits: OpenWait[]; until: Date } }
  | { awaiting: { call: LocalCall } }
  /** The failed step from which to retry the run. */
  | { retryFrom: StepResult };

/** Runs a flow, or the rest of it, and stores its results. When those of steps with effects are written: `openEffectWrites`. */
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
  const recordEvent = async (event: EngineRunEvent) => {
    if (event.type === 'step_start') {
      spend(failures.removeInside(event.path));
      await writes.begin(event);
      return onEvent?.(event);
    }
    measureStep(event.result);
    const result = addEarlierTries(event.result, retries?.get(event.result.path));
    if (event.isFinal) {
      for (const failure of failures.removeInside(result.path)) await write(failure);
      await write(result);
    } else failures.add(result);
    await writes.end(event);
    await onEvent?.({ ...event, result });
  };
  const outcome = await runFlow({
    ...run,
    done,
    onEvent: recordEvent,
    onKept: recorder.keep,
    ...(mayGoOn && { onMark: recorder.mark }),
    onInterrupted: recorder.interrupt,
  });
  if ('waits' in outcome) {
    spend(failures.all());
    return suspendRun(recorder, outcome.waits, run.waiting);
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

async function suspendRun(
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

function addEarlierTries(result: StepResult, retried: Retried | undefined): StepResult {
  if (!retried) return result;
  const { count, attempts, delayMs } = retried;
  const again = getResultAttempts(result).map((attempt, index) =>
    index === 0 ? { ...attempt, type: 'run-retry' as const, delayMs } : attempt,
  );
  return {
    ...result,
    retryCount: result.retryCount + count,
    attempts: [...attempts, ...again].slice(0, attemptsMax),
  };
}

/** So many results of steps with effects in items of maps may be unwritten, and so long. A process that dies repeats them. */
const inItems = { results: 4, ms: 5_000 };

/** How long a paid result waits for those of the steps after it, to be written together with them. */
const soonMs = 50;

/**
 * When results of steps with effects are written: each before the next such step begins, and soon if others follow; those
 * in items of maps in groups, as those of records are. What acts writes them with its mark.
 * @param marks Whether the run stores marks.
 */
function openEffectWrites(recorder: Pick<RunRecorder, 'flush' | 'flushSoon'>, marks: boolean) {
  let unwritten = 0;
  let writing = Promise.resolve();
  const flush = () => {
    unwritten = 0;
    writing = recorder.flush();
    return writing;
  };
  return {
    async begin({ step, path, effects }: Extract<EngineRunEvent, { type: 'step_start' }>): Promise<void> {
      const isMarked = marks && (getStepType(step.type).acts?.(step.config) ?? false);
      if (isInItem(path) || isMarked) return;
      if (effects) await (unwritten > 0 ? flush() : writing);
      else if (unwritten > 0) recorder.flushSoon(soonMs);
    },
    async end({ result, effects }: Extract<EngineRunEvent, { type: 'step_end' }>): Promise<void> {
      if (!effects) return;
      unwritten++;
      if (!isInItem(result.path)) return;
      if (unwritten >= inItems.results) await flush();
      else recorder.flushSoon(inItems.ms);
    },
    /** Before something else with effects. */
    flush: async (): Promise<void> => {
      if (unwritten > 0) await flush();
    },
  };
}

const isInItem = (path: RunPath) => /\.i\d/.test(path);

/** Failures with which the run ends, or a step around them. Recorded at that end only, since they may be tried again. */
function openUnrecorded() {
  const results = new Map<string, StepResult>();
  return {
    all: () => [...results.values()],
    add: (result: StepResult) => void results.set(result.path, result),
    /** Those of a step and of the steps in it, which are here no longer. */
    removeInside(path: string): StepResult[] {
      const taken = [...results.values()].filter((result) => `${result.path}.`.startsWith(`${path}.`));
      for (const result of taken) results.delete(result.path);
      return taken;
    },
  };
}

const stepMetrics = {
  completed: 'StepsCompleted',
  failed: 'StepsFailed',
  skipped: 'StepsSkipped',
} as const satisfies Record<StepResult['status'], string>;

/** Counts a step with its tokens and its cost, also if the run is retried later: the provider charges each call. */
export function measureStep({ status, promptTokens, completionTokens, estimatedCost }: StepResult): void {
  measure(stepMetrics[status]);
  if (promptTokens) measure('InputTokens', promptTokens);
  if (completionTokens) measure('OutputTokens', completionTokens);
  if (estimatedCost) measure('ModelCost', Number(estimatedCost));
}

/** Merges the output variables of a run into its record. @param results In the order in which the steps ended @returns the reason if that failed. */
async function appendOutputs(
  records: RecordsPort,
  recordId: string,
  steps: readonly FlowStep[],
  results: ReadonlyMap<string, StepResult>,
): Promise<string | undefined> {
  try {
    const record = await records.update({ id: recordId }, collectOutputVariables(steps, results), 'merge');
    return record ? undefined : describeAppendFailure('The record was deleted');
  } catch (error) {
    if (error instanceof StepError) return describeAppendFailure(error.message);
    throw error;
  }
}

const describeAppendFailure = (reason: string) =>
  `The output variables could not be appended to the record: ${reason}`;

/** What the steps of a run have set, in its outermost scope. */
function collectOutputVariables(
  steps: readonly FlowStep[],
  results: ReadonlyMap<string, StepResult>,
): Variables {
  const definitions = new Map([...walkSteps(steps)].map(({ step, path }) => [path, step]));
  const outputs: Variables = {};
  for (const result of results.values()) {
    const { path, status } = result;
    if (status !== 'completed' || listsAround(path).some(isOwnScope)) continue;
    const step = definitions.get(definitionPath(path));
    const variable = step && outputVariableName(step);
    if (variable) outputs[variable] = toFlowingValue(result);
  }
  return outputs;
}
