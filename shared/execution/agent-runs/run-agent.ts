import type { ModelMessage } from '../../adapters/model-port.ts';
import { measure } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import { StepError } from '../../core/step-error.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { EndFact, Fact, StopReason } from '../agent-loop/facts.ts';
import { runLoop } from '../agent-loop/loop.ts';
import { openProgress } from '../agent-loop/progress.ts';
import { apply, type RunState, replay } from '../agent-loop/state.ts';
import type { AgentExecution } from './agent-execution.ts';
import { eventsOf } from './fact-events.ts';
import { keepLease } from './lease.ts';
import { factsOf } from './load-run.ts';
import type { OpenRun } from './open-run.ts';
import { openRecorder, RunLost } from './recorder.ts';
import { replayEvents } from './replay-events.ts';
import type { NumberedEvent } from './run-event.ts';
import type { Entry } from './run-log.ts';
import { openTurnNumbers } from './turn-numbers.ts';

/** A run that this process has taken. */
export interface TakenRun {
  execution: AgentExecution;
  log: readonly Entry[];
  /** The number of the last event that readers have got; -1 for a new run. */
  toldSeq: number;
  /** Whether an earlier process may have begun the open calls. */
  mayHaveBegun: boolean;
}

export interface RunSignals {
  /** Aborted when the run ends in this process. */
  signal: AbortSignal;
  /** Aborted when the run goes on elsewhere. */
  stop: AbortSignal;
}

export interface RunContext {
  /** Opens the loop, and the messages that the run began with. */
  open: (signals: RunSignals) => Promise<OpenRun & { messages: readonly ModelMessage[] }>;
  /** Aborted when the caller is gone, which cancels the run. */
  callerSignal?: AbortSignal;
  /** Aborted when the process has to stop. The run goes on elsewhere. */
  stopSignal?: AbortSignal;
  requestId?: string;
}

/**
 * Runs an agent from the state that its log has, and yields its events. Each fact is recorded before the run goes on,
 * and before its readers see it. Leaving the loop cancels the run, unless it runs in the background.
 */
export async function* runAgent(
  scope: Scope,
  taken: TakenRun,
  context: RunContext,
): AsyncGenerator<NumberedEvent, void> {
  const { execution } = taken;
  const { id: executionId, holder } = execution;
  const began = performance.now();
  const activeMs = () => execution.activeMs + Math.round(performance.now() - began);
  const lease = keepLease(scope, execution, holder);
  const timeout = AbortSignal.timeout(Math.max(1, execution.timeoutMs - execution.activeMs));
  const left = new AbortController();
  const { callerSignal, stopSignal } = context;
  const stop = anyOf(lease.lost, stopSignal);
  const signal = anyOf(stop, timeout, left.signal, callerSignal);
  const facts = factsOf(taken.log);
  const { n: lastFact, lastSeq } = taken.log.at(-1) ?? { n: -1, lastSeq: 0 };
  const recorder = openRecorder(scope, execution, { nextFact: lastFact + 1, holder });
  let nextSeq = lastSeq + 1;
  let state = replay([], facts);
  let opened: OpenRun | undefined;
  let turnId = state.lastTurn?.turnId;
  const turnNumbers = openTurnNumbers();
  const numbered = (event: NumberedEvent['event']): NumberedEvent => {
    if (event.type === 'turn_start') turnId = event.id;
    turnNumbers.note(event, nextSeq);
    return { executionId, seq: nextSeq++, turnId, event };
  };
  const progressOf = openProgress(facts);

  async function recorded(facts: readonly Fact[]): Promise<NumberedEvent[]> {
    state = facts.reduce(apply, state);
    const at = { execution, state, durationMs: activeMs() };
    const told = facts.map((fact) => {
      const numbers = fact.type === 'turn' ? turnNumbers.ofTurn() : undefined;
      const events = [...progressOf({ type: 'facts', facts: [fact] }), ...eventsOf(fact, at)].map(numbered);
      return { fact, events, lastSeq: nextSeq - 1, ...(numbers && { numbers }) };
    });
    const calls = opened?.takeCalls() ?? [];
    await recorder.append(
      told.map(({ events: _events, ...entry }) => entry),
      { state, calls, activeMs: activeMs() },
    );
    return told.flatMap(({ events }) => events);
  }

  try {
    yield* replayEvents(execution, taken.log, taken.toldSeq);
    const { messages, ...run } = await context.open({ signal, stop });
    opened = run;
    state = replay(messages, facts);
    for await (const event of runLoop(opened.loop, state, taken.mayHaveBegun)) {
      if (event.type === 'facts') yield* await recorded(event.facts);
      else for (const progress of progressOf(event)) yield numbered(progress);
    }
  } catch (error) {
    if (error instanceof RunLost || stop.aborted) throw new RunLost(String(error));
    const isOwnFault = !(error instanceof StepError || timeout.aborted || callerSignal?.aborted);
    if (execution.background && isOwnFault) throw error;
    const end = endAfter(error, state, { timeout, execution, context, at: scope.now() });
    yield* await recorded([end]);
  } finally {
    lease.release();
    left.abort();
    const isLeft = !state.end && state.waits.length === 0 && !stop.aborted;
    if (isLeft && !execution.background) {
      await recorded([endFact(state, 'cancelled', 'The caller disconnected', scope.now())]).catch((error) => {
        if (!(error instanceof RunLost))
          log.error('The end of a run could not be recorded', { error, executionId });
      });
    }
  }
}

function endAfter(
  error: unknown,
  state: RunState,
  {
    timeout,
    execution,
    context,
    at,
  }: {
    timeout: AbortSignal;
    execution: AgentExecution;
    context: RunContext;
    at: Date;
  },
): EndFact {
  const { callerSignal, requestId } = context;
  if (callerSignal?.aborted) return endFact(state, 'cancelled', 'The caller disconnected', at);
  if (timeout.aborted) {
    return endFact(
      state,
      'timeout',
      `The run exceeded its time limit of ${execution.timeoutMs / 1_000} s`,
      at,
    );
  }
  if (error instanceof StepError) return endFact(state, 'error', error.message, at);
  log.error('A run of an agent failed', { error });
  measure('RunsFailed');
  return endFact(
    state,
    'error',
    `The run failed because of an internal error${requestId ? `; report the request id ${requestId}` : ''}`,
    at,
  );
}

const endFact = ({ lastTurn }: RunState, stopReason: StopReason, error: string, at: Date): EndFact => ({
  ...{ type: 'end', stopReason, error, output: lastTurn?.text ?? null, at: at.toISOString() },
});

const anyOf = (...signals: (AbortSignal | undefined)[]) =>
  AbortSignal.any(signals.filter((signal) => signal !== undefined));
