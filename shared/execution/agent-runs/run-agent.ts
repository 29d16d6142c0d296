import type { ModelMessage } from '../../adapters/ports/model-port.ts';
import { anySignal } from '../../core/concurrency/abort.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { log } from '../../core/log.ts';
import { eachInSpan, inSpan, openSpan } from '../../core/tracing/active-span.ts';
import { tracedRun } from '../../core/tracing/trace-context.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { EndFact, Fact } from '../agent-loop/facts.ts';
import { runLoop } from '../agent-loop/loop.ts';
import { agentPath } from '../agent-loop/tool-calls.ts';
import type { NumberedEvent } from '../events/agent-run-event.ts';
import { keepLease } from './lease/lease.ts';
import { forgetIfDeleted } from './log/forget-run.ts';
import type { TakenRun } from './log/load-run.ts';
import { withNotes } from './log/notes-of-facts.ts';
import { replayEvents } from './log/replay-events.ts';
import { openJournal, RunLost } from './log/run-journal.ts';
import type { OpenedLoop } from './open-loop.ts';
import { openPieces } from './pieces/piece-writer.ts';
import { disconnected, endAfter } from './run-ending.ts';

interface RunSignals {
  /** Aborted when the run ends in this process. */
  signal: AbortSignal;
  /** Aborted when the run goes on elsewhere. */
  stop: AbortSignal;
}

export interface RunContext {
  /** Opens the loop, and the messages that the run began with. */
  open: (signals: RunSignals) => Promise<OpenedLoop & { messages: readonly ModelMessage[] }>;
  /** Aborted when the caller is gone, which cancels the run. */
  callerSignal?: AbortSignal;
  /** Aborted when the process has to stop. The run goes on elsewhere. */
  stopSignal?: AbortSignal;
  requestId?: string;
  /** Whether nobody reads the events here. */
  isUnread?: boolean;
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
  const { execution, log: entries, sentSeq, mayHaveBegun } = taken;
  const { callerSignal, stopSignal, requestId } = context;
  const { timeoutMs, background } = execution;
  const journal = openJournal(scope, taken);
  const pieces = openPieces(scope, execution, journal, context.isUnread ?? false);
  const lease = keepLease(scope, execution, execution.holder, pieces.seen);
  const timeout = AbortSignal.timeout(Math.max(1, timeoutMs - execution.activeMs));
  const left = new AbortController();
  const stop = anySignal(lease.lost, stopSignal);
  const signal = anySignal(stop, timeout, left.signal, callerSignal);
  const run = tracedRun(execution.id, execution.startedIn);
  const span = openSpan(run, agentPath, Date.parse(execution.startedAt));
  let opened: OpenedLoop | undefined;
  const record = async (facts: readonly Fact[]) => {
    await pieces.settle();
    const calls = opened?.takeCalls() ?? [];
    return (await journal.record(withNotes(facts, span), { calls })).events;
  };
  const withSpent = (end: EndFact): EndFact => (opened ? { ...end, spent: opened.loop.spent() } : end);
  try {
    yield* replayEvents(execution, entries, sentSeq);
    const { messages, ...open } = await inSpan(span, () => context.open({ signal, stop }));
    opened = open;
    const loop = runLoop(open.loop, journal.load(messages), mayHaveBegun);
    for await (const event of eachInSpan(span, loop)) {
      if (event.type === 'facts') yield* await record(event.facts);
      else yield* pieces.tell(event);
    }
  } catch (error) {
    if (error instanceof RunLost || stop.aborted) {
      await forgetIfDeleted(scope, execution);
      throw new RunLost(String(error));
    }
    const isOwnFault = !(error instanceof StepError || timeout.aborted || callerSignal?.aborted);
    // The worker gets it again.
    if (background && isOwnFault) throw error;
    const goesOn = opened?.loop.errorHandling?.onError === 'continue';
    const interruption = { error, callerSignal, timeout, timeoutMs, requestId, goesOn };
    yield* await record([withSpent(endAfter(interruption, journal.state(), scope.now()))]);
  } finally {
    lease.release();
    pieces.close();
    left.abort();
    const { end, waits } = journal.state();
    const isLeft = !end && waits.length === 0 && !stop.aborted && !background;
    if (isLeft) {
      await record([withSpent(disconnected(journal.state(), scope.now()))]).catch((error) => {
        if (error instanceof RunLost) return forgetIfDeleted(scope, execution);
        log.error('The end of a run could not be recorded', { error });
      });
    }
  }
}
