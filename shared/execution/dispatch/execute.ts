import { orAborted } from '../../core/abort.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { RunEvent } from '../engine/engine.ts';
import type { ExecutionEvent } from '../execution-event.ts';
import type { Execution } from '../runs/execution.ts';
import { newExecution } from './dispatch-recorder.ts';
import type { Prepared } from './prepare.ts';
import type { DispatchBody } from './request.ts';
import { runToEnd } from './run-to-end.ts';
import { openTotals } from './totals.ts';

export interface Dispatch {
  prepared: Prepared;
  body: DispatchBody;
  principal: Principal;
  requestId: string;
  /** How long the run may take. */
  timeMs: number;
  /** Aborted when the client is gone: that ends the run. */
  clientSignal: AbortSignal;
  /** Whether there are `step-event`s. Without them models answer in one piece. */
  showsProgress: boolean;
}

/** A dispatch under way. */
export interface Running extends Dispatch {
  execution: Execution;
  /** Aborted when the run has taken too long. */
  timeout: AbortSignal;
  /** The same, or when nobody reads the events any more. */
  signal: AbortSignal;
  /** Waits until the event is taken, but no longer than the run may take. */
  emit: (event: ExecutionEvent) => Promise<void>;
  /** Counts and emits what the engine yields. */
  onEvent: (event: RunEvent) => Promise<void>;
}

/**
 * Runs a prepared flow and yields what happens. The run waits until each event is taken, so a slow reader slows it;
 * leaving the loop ends it. It always has a last event, and leaves nothing open in the table.
 */
export async function* execute(scope: Scope, dispatch: Dispatch): AsyncGenerator<ExecutionEvent, void> {
  const { readable, writable } = new TransformStream<ExecutionEvent, ExecutionEvent>();
  const writer = writable.getWriter();
  const left = new AbortController();
  const work = run(scope, dispatch, writer, left.signal);
  try {
    yield* readable as unknown as AsyncIterable<ExecutionEvent>;
  } finally {
    left.abort(new DOMException('Nobody reads the events any more', 'AbortError'));
    await work;
  }
}

async function run(
  scope: Scope,
  dispatch: Dispatch,
  writer: WritableStreamDefaultWriter<ExecutionEvent>,
  left: AbortSignal,
): Promise<void> {
  const { prepared, timeMs, clientSignal, body } = dispatch;
  const timeout = AbortSignal.timeout(timeMs);
  const signal = AbortSignal.any([clientSignal, left, timeout]);
  const execution = newExecution(scope, prepared);
  const totals = openTotals();
  const emit = (event: ExecutionEvent) => orAborted(writer.write(event), signal);
  const onEvent = async (event: RunEvent) => {
    if (event.type === 'step_end') totals.add(event.result);
    const seen = shown(event, scope.now().toISOString(), body.options.debugMode);
    if (seen) await emit(seen);
  };
  // The first event and the last do not wait for the reader.
  const send = (event: ExecutionEvent) => void writer.write(event).catch(() => {});
  send({ type: 'started', execution, totalSteps: prepared.version.steps.length });
  const outcome = await runToEnd(scope, {
    ...dispatch,
    ...{ execution, timeout, signal, emit, onEvent },
  });
  const at = scope.now();
  const durationMs = Math.max(0, at.getTime() - Date.parse(execution.startedAt));
  send({ ...outcome, at: at.toISOString(), durationMs, totals: totals.now() });
  writer.close().catch(() => {});
}

function shown(event: RunEvent, at: string, debugMode: boolean): ExecutionEvent | undefined {
  if (event.type === 'step_start') return { type: 'step-started', step: event.step, path: event.path, at };
  if (event.type !== 'step_end') return undefined;
  const { resolvedPrompt, ...result } = event.result;
  const shownResult = debugMode && resolvedPrompt !== undefined ? { ...result, resolvedPrompt } : result;
  return { type: 'step-ended', step: event.step, result: shownResult, at };
}
