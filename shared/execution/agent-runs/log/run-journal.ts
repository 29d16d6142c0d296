import type { ModelMessage } from '../../../adapters/ports/model-port.ts';
import { toChunks } from '../../../core/chunks.ts';
import type { ModelCall } from '../../../domain/model-usage/model-calls.ts';
import { usageWrites } from '../../../domain/model-usage/usage.ts';
import { mergedUse, runUse } from '../../../domain/runs/run-use.ts';
import { ConditionFailed } from '../../../platform/data/condition-failed.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import type { Fact } from '../../agent-loop/facts.ts';
import type { ModelOutputEvent } from '../../agent-loop/loop.ts';
import { apply, type RunState, replay } from '../../agent-loop/state.ts';
import type { AgentRunEvent, NumberedEvent } from '../../events/agent-run-event.ts';
import { executionWrites, factNotice } from './fact-writes.ts';
import { forgetRun } from './forget-run.ts';
import { factEvents, firstSeqAfter, openTurnNumbers, progressAfter } from './run-events.ts';
import { type LogEntry, logFacts, runLog, type TakenRun } from './run-log.ts';

/** Somebody else has recorded the next fact: the run was cancelled, or another process continues it. */
export class RunLost extends Error {}

/** What is written beside the facts. */
interface With {
  /** Counted with the last fact. */
  calls?: readonly ModelCall[];
  alsoWrite?: readonly Write[];
}

/** Fewer than a transaction takes, for the writes that go with them. */
const factsPerTransaction = 40;

/**
 * The state of a run in this process: it appends facts to the log, in the transactions that change the execution and count
 * the model calls, and numbers the events of the run.
 */
export function openJournal(
  scope: Scope,
  { execution, log: earlier, isTakenOver = false }: Pick<TakenRun, 'execution' | 'log' | 'isTakenOver'>,
) {
  const { id: executionId, holder } = execution;
  const began = performance.now();
  const activeMs = () => execution.activeMs + Math.round(performance.now() - began);
  const log = runLog(scope);
  const { n: lastFact, lastSeq } = earlier.at(-1) ?? { n: -1, lastSeq: 0 };
  const progressOf = progressAfter(earlier);
  const turnNumbers = openTurnNumbers();
  let state: RunState = replay([], logFacts(earlier));
  let used = earlier.map(({ use = {} }) => use).reduce(mergedUse, {});
  let turnId = state.lastTurn?.turnId;
  let nextFact = lastFact + 1;
  let nextSeq = firstSeqAfter(lastSeq, isTakenOver);
  let recordedSeq = lastSeq;

  function numbered(event: AgentRunEvent): NumberedEvent {
    if (event.type === 'turn_start') turnId = event.id;
    turnNumbers.note(event, nextSeq);
    return { executionId, seq: nextSeq++, turnId, event };
  }

  /** @throws RunLost */
  async function commit(entries: readonly LogEntry[], more: readonly Write[]): Promise<void> {
    const facts = await Promise.all(entries.map((entry) => log.write(executionId, entry, execution.ttl)));
    try {
      await scope.table.commit([...facts, ...more]);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      // A repeated request finds what the first one wrote.
      const written = await log.get(executionId, entries[0]?.n ?? 0);
      if (written?.holder !== holder) throw new RunLost(`The run ${executionId} goes on elsewhere`);
    }
    nextFact += entries.length;
  }

  async function append(entries: readonly LogEntry[], { calls = [], alsoWrite = [] }: With): Promise<void> {
    const last = entries.at(-1);
    if (!last) return;
    const use = runUse(calls);
    used = mergedUse(used, use);
    const notice = await factNotice(scope, execution, last.fact, { state, use: used });
    const counted = calls.length > 0 ? entries.with(-1, { ...last, use }) : [...entries];
    const chunks = toChunks(counted, factsPerTransaction);
    const lastChunk = chunks.pop() ?? [];
    for (const chunk of chunks) await commit(chunk, []);
    await commit(lastChunk, [
      ...executionWrites(scope, execution, last.fact, { state, activeMs: activeMs() }),
      ...usageWrites(scope, [{ flowId: null, calls }]),
      ...notice.writes,
      ...alsoWrite,
    ]);
    if (!execution.isLogged && last.fact.type === 'end') await forgetRun(scope, execution);
    await notice.send();
  }

  return {
    state: () => state,
    nextFact: () => nextFact,
    nextSeq: () => nextSeq,

    /** @returns the state with the messages that the run began with. */
    load(messages: readonly ModelMessage[]): RunState {
      state = replay(messages, logFacts(earlier));
      return state;
    },

    *tell(event: ModelOutputEvent): Generator<NumberedEvent> {
      for (const progress of progressOf(event)) yield numbered(progress);
    },

    /** @returns the entries, and the events of the facts, which readers may see now. @throws RunLost */
    async record(facts: readonly Fact[], more: With = {}) {
      const durationMs = activeMs();
      const recorded = facts.map((fact, index) => {
        state = apply(state, fact);
        const numbers = fact.type === 'turn' ? turnNumbers.ofTurn(recordedSeq) : undefined;
        const events = factEvents(fact, progressOf, { execution, state, durationMs }).map(numbered);
        recordedSeq = nextSeq - 1;
        const entry: LogEntry = { n: nextFact + index, lastSeq: recordedSeq, holder, fact };
        return { events, entry: { ...entry, ...(numbers && { numbers }) } };
      });
      const entries = recorded.map(({ entry }) => entry);
      await append(entries, more);
      return { entries, events: recorded.flatMap(({ events }) => events) };
    },
  };
}
