/**
 * The run of an agent in the process that has it: appends facts, changes the execution with them, and numbers the
 * events.
 * One `record` is: apply the facts to the state, number their events, then commit the facts, the execution's change, the
 * model usage and the notifications of the last fact in one transaction (many facts take several, the change goes with
 * the last). Only then do readers see the events. Notifications are sent after the commit.
 * If another process has recorded the next number, `RunLost` is thrown, and this process must stop. A request that was
 * repeated by the SDK recognises its own write by the holder.
 * What its caller wants written with the end (`AlsoAtEnd`) joins that transaction, and is left out if it is refused (D299).
 * A run that is not logged forgets its content with its last fact; totals stay.
 */
import type { ModelMessage } from '../../adapters/ports/model-port.ts';
import { toChunks } from '../../core/chunks.ts';
import { findRunQuestionNotification } from '../../domain/a2a-tasks/task-notice.ts';
import {
  combineNotifications,
  type EndNotification,
  noNotification,
} from '../../domain/deliveries/end-webhook.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import { usageWrites } from '../../domain/model-usage/usage.ts';
import { createRunNotification, runEnd } from '../../domain/runs/run-end.ts';
import { statusWrite } from '../../domain/runs/run-list.ts';
import { mergeUse, type RunUse, runUse } from '../../domain/runs/run-use.ts';
import { ConditionFailed, isContention } from '../../platform/data/condition-failed.ts';
import { payloadRemover } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type Write } from '../../platform/data/writes.ts';
import type { EndFact, Fact } from '../agent-loop/facts.ts';
import type { ModelOutputEvent } from '../agent-loop/loop.ts';
import { apply, type RunState, replay, toStateFact } from '../agent-loop/state.ts';
import {
  type AgentExecution,
  agentExecutionEntity,
  endStatus,
  toAgentEnding,
  toAgentRun,
  toContinueWrite,
  toEndWrite,
  toPauseWrite,
} from './agent-execution.ts';
import type { RunInput } from './agent-input.ts';
import { createInboxWrites } from './agent-waits.ts';
import { afterChunks } from './live-output.ts';
import {
  type AgentRunEvent,
  getFirstSeq,
  type NumberedEvent,
  openTurnNumbers,
  replayProgress,
  toFactEvents,
} from './run-events.ts';
import { type LogEntry, logFacts, runLog, type TakenRun, toLogRange } from './run-log.ts';

/** Somebody else has recorded the next fact: the run was cancelled, or another process continues it. */
export class RunLost extends Error {}

/** What is written beside the facts. */
interface JournalExtras {
  /** Counted with the last fact. */
  calls?: readonly ModelCall[];
  alsoWrite?: readonly Write[];
}

/** What a caller writes with the end of a run, which does not depend on it. */
export type AlsoAtEnd = (end: EndFact, totals: RunState['totals']) => Promise<WrittenAtEnd | undefined>;

interface WrittenAtEnd {
  writes: readonly Write[];
  /** Called once they are committed; never, if one of them is refused. */
  done: () => void;
}

const transactionMax = 100;
/** Fewer than a transaction takes, for the writes that go with them. */
const factsPerTransaction = 40;
const entriesPerTransaction = 45;
/** The state is as long as the conversation: written that often, it adds little to each turn. */
const factsPerState = 200;

/**
 * The state of a run in this process: it appends facts to the log, in the transactions that change the execution and count
 * the model calls, and numbers the events of the run.
 */
export function openJournal(
  scope: Scope,
  { execution, log: earlier, isTakenOver = false }: Pick<TakenRun, 'execution' | 'log' | 'isTakenOver'>,
  alsoAtEnd?: AlsoAtEnd,
) {
  const { id: executionId, holder } = execution;
  const began = performance.now();
  const getActiveMs = () => execution.activeMs + Math.round(performance.now() - began);
  const log = runLog(scope);
  const { n: lastFact, lastSeq } = earlier.at(-1) ?? { n: -1, lastSeq: 0 };
  const progressOf = replayProgress(earlier);
  const turnNumbers = openTurnNumbers();
  let state: RunState = replay([], logFacts(earlier));
  let used = earlier
    .map(({ use = {}, fact }) => (fact.type === 'state' ? mergeUse(fact.use ?? {}, use) : use))
    .reduce(mergeUse, {});
  let stateAt = earlier.findLast(({ fact }) => fact.type === 'state')?.n ?? 0;
  let isLoaded = false;
  let turnId = state.lastTurn?.turnId;
  let nextFact = lastFact + 1;
  let nextSeq = getFirstSeq(lastSeq, isTakenOver);
  let recordedSeq = lastSeq;

  function numberEvent(event: AgentRunEvent): NumberedEvent {
    if (event.type === 'turn_start') turnId = event.id;
    turnNumbers.track(event, nextSeq);
    return { executionId, seq: nextSeq++, turnId, event };
  }

  /** @throws RunLost */
  async function commit(
    entries: readonly LogEntry[],
    more: readonly Write[],
    joined?: WrittenAtEnd,
  ): Promise<void> {
    const facts = await Promise.all(entries.map((entry) => log.write(executionId, entry, execution.ttl)));
    const own = [...facts, ...more];
    const { writes = [], done } = joined ?? {};
    if (own.length + writes.length > transactionMax) return commit(entries, more);
    try {
      await scope.table.commit([...own, ...writes]);
      done?.();
    } catch (error) {
      const isOfOthers =
        isContention(error) ||
        (error instanceof ConditionFailed && error.failed.every((index) => index >= own.length));
      if (joined && isOfOthers) return commit(entries, more);
      if (!(error instanceof ConditionFailed)) throw error;
      // A repeated request finds what the first one wrote.
      const written = await log.get(executionId, entries[0]?.n ?? 0);
      if (written?.holder !== holder) throw new RunLost(`The run ${executionId} goes on elsewhere`);
      done?.();
    }
    nextFact += entries.length;
  }

  /** @param listed What each of them changes in the inbox. */
  async function append(
    entries: readonly LogEntry[],
    listed: readonly Write[][],
    { calls = [], alsoWrite = [] }: JournalExtras,
  ): Promise<void> {
    const last = entries.at(-1);
    if (!last) return;
    const use = runUse(calls);
    used = mergeUse(used, use);
    const notice = await toFactNotice(scope, execution, last.fact, { state, use: used });
    const counted = calls.length > 0 ? entries.with(-1, { ...last, use }) : [...entries];
    const chunks = toChunks(counted, factsPerTransaction);
    const lastChunk = chunks.pop() ?? [];
    const written = chunks.length * factsPerTransaction;
    for (const [index, chunk] of chunks.entries()) {
      const from = index * factsPerTransaction;
      await commit(chunk, listed.slice(from, from + factsPerTransaction).flat());
    }
    const inbox = listed.slice(written).flat();
    // Entries of more waits than a transaction takes are there before the run says that it waits, or a moment after.
    for (const chunk of toChunks(inbox.slice(0, -entriesPerTransaction), entriesPerTransaction))
      await scope.table.commit(chunk);
    const writes = [
      ...inbox.slice(-entriesPerTransaction),
      ...toExecutionWrites(scope, execution, last.fact, { state, activeMs: getActiveMs() }),
      ...usageWrites(scope, [{ flowId: null, calls }]),
      ...notice.writes,
      ...alsoWrite,
    ];
    const joined = last.fact.type === 'end' ? await alsoAtEnd?.(last.fact, state.totals) : undefined;
    await commit(lastChunk, writes, joined);
    if (!execution.isLogged && last.fact.type === 'end') await forgetRun(scope, execution);
    await notice.send();
  }

  /** Once in a while, what all facts so far come to: whoever continues the run reads no further back. */
  async function recordState(): Promise<void> {
    const isBetweenTurns = state.open.length === 0 && state.waits.length === 0 && !state.end;
    if (!isLoaded || !isBetweenTurns || nextFact - stateAt < factsPerState) return;
    const fact = { ...toStateFact(state, scope.now()), use: used };
    const entry: LogEntry = { n: nextFact, lastSeq: recordedSeq, holder, fact };
    stateAt = entry.n;
    await commit(
      [entry],
      [scope.table.writes.update(agentExecutionEntity, { id: executionId }, { set: { stateAt } }, exists)],
    );
  }

  return {
    state: () => state,
    nextFact: () => nextFact,
    nextSeq: () => nextSeq,

    /** @returns the state with the messages that the run began with. */
    load(messages: readonly ModelMessage[]): RunState {
      state = replay(messages, logFacts(earlier));
      isLoaded = true;
      return state;
    },

    *numberEvents(event: ModelOutputEvent): Generator<NumberedEvent> {
      for (const progress of progressOf(event)) yield numberEvent(progress);
    },

    /** @returns the entries, and the events of the facts, which readers may see now. @throws RunLost */
    async record(facts: readonly Fact[], more: JournalExtras = {}) {
      const durationMs = getActiveMs();
      const recorded = facts.map((fact, index) => {
        const before = state;
        state = apply(state, fact);
        const numbers = fact.type === 'turn' ? turnNumbers.getNumbers(recordedSeq) : undefined;
        const events = toFactEvents(fact, progressOf, { execution, state, durationMs }).map(numberEvent);
        recordedSeq = nextSeq - 1;
        const entry: LogEntry = { n: nextFact + index, lastSeq: recordedSeq, holder, fact };
        return { events, before, entry: { ...entry, ...(numbers && { numbers }) } };
      });
      const entries = recorded.map(({ entry }) => entry);
      const listed = await Promise.all(
        recorded.map(({ entry, before }) => createInboxWrites(scope, execution, entry.fact, before)),
      );
      await append(entries, listed, more);
      await recordState();
      return { entries, events: recorded.flatMap(({ events }) => events) };
    },
  };
}

/** What the execution says after the last of some facts. */
function toExecutionWrites(
  scope: Scope,
  execution: AgentExecution,
  last: Fact,
  { state, activeMs }: { state: RunState; activeMs: number },
): Write[] {
  if (last.type === 'end') return [toEndWrite(scope, execution, last, state)];
  if (last.type === 'pause') return [toPauseWrite(scope, execution, last, activeMs)];
  if (last.type === 'continue') return [toContinueWrite(scope, execution, execution.holder)];
  return [];
}

/** Who hears of a fact. Runs inside of others have no webhook. */
async function toFactNotice(
  scope: Scope,
  execution: AgentExecution,
  last: Fact,
  { state, use }: { state: RunState; use: RunUse },
): Promise<EndNotification> {
  if (last.type === 'continue') return toStatusNotice(scope, execution, 'running');
  if (last.type !== 'end' && last.type !== 'pause') return noNotification;
  const { id: executionId, parentExecutionId, surface, isLogged } = execution;
  const rootSurface = parentExecutionId === null ? surface : undefined;
  if (last.type === 'pause')
    return combineNotifications(
      await findRunQuestionNotification(scope, rootSurface),
      toStatusNotice(scope, execution, 'paused'),
    );
  const { output, error } = last;
  const [notice, listed] = await Promise.all([
    createRunNotification(scope, rootSurface, {
      executionId,
      status: endStatus(last),
      output,
      error,
      isSecret: !isLogged,
    }),
    runEnd(scope, toAgentRun(execution), toAgentEnding(last, state, use), { lastAnswer: output }),
  ]);
  return combineNotifications(notice, listed);
}

/** A run inside of another is listed at its end. */
const toStatusNotice = (
  scope: Scope,
  execution: AgentExecution,
  status: 'running' | 'paused',
): EndNotification =>
  execution.parentExecutionId === null && execution.origin
    ? { ...noNotification, writes: [statusWrite(scope, execution, status)] }
    : noNotification;

const nothing: RunInput = { messages: [], system: '', profile: '' };

/** Deletes what was said in a run: its messages, outputs and tool calls. Its totals stay. */
async function forgetRun(scope: Scope, execution: AgentExecution): Promise<void> {
  const { table } = scope;
  await removeContent(scope, execution);
  const set = { input: { inline: JSON.stringify(nothing) }, spec: null };
  await table.commit([table.writes.update(agentExecutionEntity, { id: execution.id }, { set }, exists)]);
}

/** Deletes what the process of a run recorded after the agent was deleted, and the run with it. */
export async function forgetIfDeleted(scope: Scope, execution: AgentExecution): Promise<void> {
  const { id } = execution;
  const current = await scope.table.get(agentExecutionEntity, { id }, { consistent: true });
  if (!current) await removeContent(scope, execution);
}

async function removeContent(scope: Scope, { id, input, spec }: AgentExecution): Promise<void> {
  const { table } = scope;
  const items = await table.queryAll({ ...toLogRange(id), to: afterChunks, consistent: true });
  const pointers = [input, spec, ...items.map(({ fact }) => fact)].flatMap((value) =>
    value && typeof value === 'object' && 'pointer' in value ? [String(value.pointer)] : [],
  );
  await Promise.all([table.removeAll(items), payloadRemover().remove(pointers)]);
}
