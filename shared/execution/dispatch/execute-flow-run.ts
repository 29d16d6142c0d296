import Big from 'big.js';
import { orAborted } from '../../core/concurrency/abort.ts';
import { mergedWarnings, type Warning } from '../../core/warnings.ts';
import { listRun } from '../../domain/runs/run-list.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import { stepWarnings } from '../../domain/runs/run-totals.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { settleBudgets } from '../budgets/within-budgets.ts';
import type { EngineRunEvent, StepResult, StepWait } from '../engine/engine.ts';
import { cancellation } from '../runs/cancellation.ts';
import type { Checkpoint } from '../runs/checkpoints/checkpoint.ts';
import type { Execution } from '../runs/execution.ts';
import type { ExecutionTotals, FlowRunEvent } from '../runs/flow-run-event.ts';
import { runOfFlow } from '../runs/flow-run-listing.ts';
import { newFlowExecution } from './dispatch-recorder.ts';
import type { PreparedRun } from './prepare.ts';
import type { DispatchBody } from './request.ts';
import { runToEnd } from './run-to-end.ts';

export interface Dispatch {
  prepared: PreparedRun;
  body: Pick<DispatchBody, 'inputs' | 'messages'> & {
    options: Pick<DispatchBody['options'], 'autoAppendMetadata' | 'debugMode'>;
  };
  runsAs: Pick<Principal, 'userId' | 'organizationId'>;
  /** What the request took beyond FLOWS:EXECUTE. Whoever resumes the run needs it too. */
  permissions: readonly string[];
  surface?: RunSurface;
  /** What started the run. A resumed one has its own. */
  origin?: RunOrigin;
  executionId?: string;
  resumed?: Resumed;
  requestId: string;
  timeMs: number;
  /** Aborted when the client disconnects, which ends the run. */
  callerSignal: AbortSignal;
  /** Whether to emit `step-event`s. If not, models return their response in one piece. */
  showsProgress: boolean;
}

export interface Resumed {
  execution: Execution;
  earlier: readonly Checkpoint[];
  /** The results of its finished steps, by path. */
  done: Map<string, StepResult>;
  waiting: StepWait[];
  kept: ReadonlyMap<string, unknown>;
  answered: { path: string; output: unknown };
}

export interface RunningDispatch extends Dispatch {
  execution: Execution;
  /** Aborted at the time limit. */
  timeout: AbortSignal;
  /** Aborted when somebody cancels the run. */
  cancelled: AbortSignal;
  /** When the run is in the list. */
  listed: Promise<void>;
  /** Aborted at the time limit, and when the consumer stops reading. */
  signal: AbortSignal;
  /** Waits until the consumer takes the event, at most until the time limit. */
  emit: (event: FlowRunEvent) => Promise<void>;
  onEvent: (event: EngineRunEvent) => Promise<void>;
}

/**
 * Runs a prepared flow and yields its events. The run waits until the consumer takes each event, so a slow consumer
 * slows it down; leaving the loop ends it. It always emits a final event, and leaves nothing open in the table.
 */
export async function* executeFlowRun(scope: Scope, dispatch: Dispatch): AsyncGenerator<FlowRunEvent, void> {
  const { readable, writable } = new TransformStream<FlowRunEvent, FlowRunEvent>();
  const writer = writable.getWriter();
  const left = new AbortController();
  const work = run(scope, dispatch, writer, left.signal);
  try {
    yield* readable as unknown as AsyncIterable<FlowRunEvent>;
  } finally {
    left.abort(new DOMException('The consumer stopped reading the events', 'AbortError'));
    await work;
  }
}

async function run(
  scope: Scope,
  dispatch: Dispatch,
  writer: WritableStreamDefaultWriter<FlowRunEvent>,
  left: AbortSignal,
): Promise<void> {
  const { prepared, timeMs, callerSignal, body, resumed } = dispatch;
  const timeout = AbortSignal.timeout(timeMs);
  const execution = resumed?.execution ?? newFlowExecution(scope, prepared, dispatch);
  using cancelled = cancellation(scope, execution);
  const signal = AbortSignal.any([callerSignal, left, timeout, cancelled.signal]);
  const totals = openTotals();
  for (const result of resumed?.done.values() ?? []) totals.add(result);
  const emit = (event: FlowRunEvent) => orAborted(writer.write(event), signal);
  const onEvent = async (event: EngineRunEvent) => {
    if (event.type === 'step_end') totals.add(event.result);
    const seen = shown(event, scope.now().toISOString(), body.options.debugMode);
    if (seen) await emit(seen);
  };
  const listed = resumed ? Promise.resolve() : listRun(scope, runOfFlow(execution));
  // A failure ends the run, which says so.
  const isListed = listed.catch(() => {});
  if (dispatch.showsProgress) await isListed;
  // The first and the last event do not wait for the consumer.
  const send = (event: FlowRunEvent) => void writer.write(event).catch(() => {});
  const { steps } = prepared.version;
  send({ type: 'started', execution, steps, totalSteps: steps.length });
  const outcome = await runToEnd(scope, {
    ...dispatch,
    execution,
    timeout,
    cancelled: cancelled.signal,
    listed,
    signal,
    emit,
    onEvent,
  });
  await settleBudgets(scope);
  const at = scope.now();
  const durationMs = Math.max(0, at.getTime() - Date.parse(execution.startedAt));
  send({ ...outcome, at: at.toISOString(), durationMs, totals: totals.now() });
  writer.close().catch(() => {});
}

function shown(event: EngineRunEvent, at: string, debugMode: boolean): FlowRunEvent | undefined {
  if (event.type === 'step_start') return { type: 'step-started', step: event.step, path: event.path, at };
  if (event.type !== 'step_end') return undefined;
  const { resolvedPrompt, ...result } = event.result;
  const shownResult = debugMode && resolvedPrompt !== undefined ? { ...result, resolvedPrompt } : result;
  return { type: 'step-ended', step: event.step, result: shownResult, at };
}

function openTotals() {
  const tokens = { input: 0, output: 0, cachedInput: 0 };
  const steps = { completed: 0, failed: 0, skipped: 0 };
  let cost: Big | null = new Big(0);
  let warnings: readonly Warning[] = [];
  return {
    add(result: StepResult): void {
      const {
        status,
        promptTokens = 0,
        completionTokens = 0,
        cachedTokens = 0,
        estimatedCost,
        isSum,
      } = result;
      steps[status]++;
      warnings = mergedWarnings(warnings, stepWarnings(result));
      if (isSum) return;
      tokens.input += promptTokens;
      tokens.output += completionTokens;
      tokens.cachedInput += cachedTokens;
      cost = estimatedCost === null ? null : (cost?.plus(estimatedCost ?? 0) ?? null);
    },
    now: (): ExecutionTotals => ({
      tokens: { ...tokens },
      cost: cost?.toFixed() ?? null,
      warnings,
      completedSteps: steps.completed,
      failedSteps: steps.failed,
    }),
  };
}
