/**
 * The log of an agent's run: numbered facts, their items and payloads, and the run as it is loaded from them.
 * A fact is written under the next number with a condition that there is none: of two processes that write at the same
 * time, one loses the run (`RunLost` in `run-journal.ts`). Long facts are objects in the payload bucket.
 * Readers page through it while it grows; `replayEvents` makes events of it (`run-events.ts`). The execution item says
 * the status, the log what happened.
 */
import * as z from 'zod';
import { noSpending, parseCost } from '../../adapters/ports/spending.ts';
import { toChunksWithin } from '../../core/chunks.ts';
import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { ifMissing, notFound } from '../../core/errors/errors.ts';
import { agentVersions } from '../../domain/agents/agent-versions.ts';
import type { AgentContent } from '../../domain/agents/config/agent.ts';
import { RunUse } from '../../domain/runs/run-use.ts';
import { using } from '../../platform/aws/uses.ts';
import { decode, defineEntity } from '../../platform/data/entity.ts';
import { countPayloadBytes, PayloadRef, payloadReader, payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { Fact, StopReason } from '../agent-loop/facts.ts';
import { apply, type RunState, replay } from '../agent-loop/state.ts';
import {
  type AgentExecution,
  agentExecutionEntity,
  agentRunPartition,
  isExecutionOver,
} from './agent-execution.ts';
import type { RunInput } from './agent-input.ts';
import type { AgentRunEvent, NumberedEvent, TurnNumbers } from './run-events.ts';

const digits = 6;
const sortKey = (n: number) => `FACT#${String(n).padStart(digits, '0')}`;

/** Its number is unique in the run: of two processes that record at the same time, one fails. */
const factEntity = defineEntity({
  type: 'agentFact',
  schema: z.object({
    executionId: z.string(),
    n: z.int(),
    /** The number of the last event that readers got for it. */
    lastSeq: z.int(),
    /** Of a turn that came in pieces. */
    numbers: z.record(z.string(), z.int()).optional(),
    holder: z.string(),
    /** The model calls that were counted with it. */
    use: RunUse.optional(),
    fact: PayloadRef,
    ttl: z.int().optional(),
  }),
  key: ({ executionId, n }: { executionId: string; n: number }) => ({
    PK: agentRunPartition(executionId),
    SK: sortKey(n),
  }),
});

export interface LogEntry {
  n: number;
  lastSeq: number;
  numbers?: TurnNumbers | undefined;
  holder: string;
  use?: RunUse | undefined;
  fact: Fact;
}

export interface LogPage {
  entries: readonly LogEntry[];
  hasMore: boolean;
}

/** Longer JSON goes to the payload bucket, so that reading a log is cheap. */
const inlineMax = 32_000;
const factsMax = 100_000;
/** A log without a state in it is hardly longer. */
const shortMax = 300;
const fetchedAtOnce = 10;
/** A fact may have more than 100,000 characters. */
const pageSize = 8;
/** A reader that does not take its events keeps a page in memory. */
const pageBytes = 1_000_000;

export const toLogRange = (executionId: string, after = -1) => ({
  partition: agentRunPartition(executionId),
  from: sortKey(after + 1),
  to: sortKey(factsMax),
});

export const runLogReader = /* @__PURE__ */ using(['table:read', payloadReader], (scope: Scope) => {
  const { table } = scope;
  const payloads = payloadReader(scope);

  const load = async (item: Record<string, unknown>): Promise<LogEntry> => {
    const { fact, n, lastSeq, numbers, holder, use } = decode(factEntity, item);
    const more = { ...(numbers && { numbers }), ...(use && { use }) };
    return { n, lastSeq, ...more, holder, fact: (await payloads.fetch(fact)) as Fact };
  };

  async function loadAll(items: readonly Record<string, unknown>[]): Promise<LogEntry[]> {
    const entries: LogEntry[] = [];
    for await (const entry of mapConcurrently(items, fetchedAtOnce, load)) entries.push(entry);
    return entries.sort((a, b) => a.n - b.n);
  }

  const read = async (executionId: string, after = -1): Promise<LogEntry[]> =>
    loadAll(await table.queryAll({ ...toLogRange(executionId, after), consistent: true }));

  return {
    read,

    /** Those that say how the run goes on: all of a short log, of a long one those from its last state. */
    async readCurrent(executionId: string, execution: Promise<AgentExecution>): Promise<LogEntry[]> {
      const range = { ...toLogRange(executionId), consistent: true };
      const [{ stateAt }, { items, isCut }] = await Promise.all([execution, table.first(shortMax, range)]);
      if (stateAt === undefined && !isCut) return loadAll(items);
      return read(executionId, stateAt === undefined ? -1 : stateAt - 1);
    },

    /** Some of the facts after a number, in order. */
    async readPage(executionId: string, after: number): Promise<LogPage> {
      const range = toLogRange(executionId, after);
      const { items, isCut } = await table.first(pageSize, { ...range, consistent: true });
      const countBytes = (item: Record<string, unknown>) => countPayloadBytes(decode(factEntity, item).fact);
      const [some = [], ...more] = toChunksWithin(items, pageBytes, countBytes);
      return { entries: await Promise.all(some.map(load)), hasMore: isCut || more.length > 0 };
    },

    async last(executionId: string): Promise<LogEntry | undefined> {
      const range = { ...toLogRange(executionId), newestFirst: true, consistent: true };
      const { items } = await table.first(1, range);
      return items[0] && load(items[0]);
    },

    async get(executionId: string, n: number): Promise<LogEntry | undefined> {
      const [item] = await table.getMany([factEntity.key({ executionId, n })], { consistent: true });
      return item && load(item);
    },
  };
});

export const runLog = /* @__PURE__ */ using([runLogReader, 'table:write', payloadWriter], (scope: Scope) => {
  const { table, newId } = scope;
  const payloads = payloadWriter(scope);

  return {
    ...runLogReader(scope),

    /** The write of a fact. It fails if the log has a fact of that number. */
    async write(executionId: string, { fact, ...entry }: LogEntry, ttl: number | undefined): Promise<Write> {
      const stored = await payloads.offload(`agent-runs/${executionId}/${newId('part')}`, fact, inlineMax);
      const item = { executionId, ...entry, fact: stored, ...(ttl !== undefined && { ttl }) };
      return table.writes.insert(factEntity, item);
    },
  };
});

export interface TakenRun {
  execution: AgentExecution;
  log: readonly LogEntry[];
  /** The number of the last event that readers have got; -1 for a new run. */
  sentSeq: number;
  /** Whether an earlier process may have begun the open calls. */
  mayHaveBegun: boolean;
  /** Whether an earlier process may have sent events that are not in the log. */
  isTakenOver?: boolean;
}

export interface LoadedRun {
  execution: AgentExecution;
  log: readonly LogEntry[];
  /** Without its messages, which only the process that runs it needs. */
  state: RunState;
}

export const logFacts = (log: readonly LogEntry[]): Fact[] => log.map(({ fact }) => fact);

/** @throws 404 if there is no such execution. */
export const findExecution = ({ table }: Pick<Scope, 'table'>, id: string): Promise<AgentExecution> =>
  table.find(agentExecutionEntity, { id }, { consistent: true });

/** With the facts that say how it goes on. @throws 404 */
export const loadRun = (scope: Scope, id: string): Promise<LoadedRun> => {
  const execution = findExecution(scope, id);
  return assembleRun(scope, Promise.all([execution, runLogReader(scope).readCurrent(id, execution)]));
};

/** With all its facts. @throws 404 */
export const loadWholeRun = (scope: Scope, id: string): Promise<LoadedRun> =>
  assembleRun(scope, Promise.all([findExecution(scope, id), runLogReader(scope).read(id)]));

async function assembleRun(scope: Scope, reading: Promise<[AgentExecution, LogEntry[]]>): Promise<LoadedRun> {
  const [execution, log] = await reading;
  const run = { execution, log, state: replay([], logFacts(log)) };
  // Both are read at once: a run may have ended after its log was read. Of one that is not logged, no log is left.
  const isLogOlder = isExecutionOver(execution) && execution.isLogged && !run.state.end;
  return isLogOlder ? reloadRun(scope, run) : run;
}

/** A run with the facts that were recorded since it was loaded. @throws 404 */
export async function reloadRun(
  scope: Scope,
  { execution: { id }, log, state }: LoadedRun,
): Promise<LoadedRun> {
  const [execution, more] = await Promise.all([
    findExecution(scope, id),
    runLogReader(scope).read(id, log.at(-1)?.n),
  ]);
  return { execution, log: [...log, ...more], state: logFacts(more).reduce(apply, state) };
}

/** What a run was started with. @throws 404 if its agent was deleted. */
export async function loadInput(
  scope: Scope,
  { agentId, agentVersionId, spec, input }: AgentExecution,
): Promise<{ content: AgentContent; input: RunInput }> {
  const payloads = payloadReader(scope);
  const [content, storedInput] = await Promise.all([
    spec
      ? (payloads.fetch(spec) as Promise<AgentContent>)
      : agentVersions(scope)
          .get(agentId ?? '', agentVersionId ?? '')
          .catch(ifMissing(undefined)),
    payloads.fetch(input) as Promise<RunInput>,
  ]);
  if (!content) throw notFound('Agent');
  return { content, input: storedInput };
}

/** A run that is no longer there, as it is for those who still read it: deleting its agent cancels it first. */
export const toDeletedRun = (execution: AgentExecution): AgentExecution => ({
  ...execution,
  status: 'cancelled',
  stopReason: 'cancelled',
  error: 'The agent was deleted',
});

export type EndEvent = NumberedEvent & { event: Extract<AgentRunEvent, { type: 'ended' }> };

export function endWithoutLog(execution: AgentExecution, seq: number): EndEvent {
  const { id: executionId, stopReason, error, startedAt, completedAt, totalCost } = execution;
  const { iterations, inputTokens, outputTokens } = execution;
  const at = completedAt ?? startedAt;
  return {
    executionId,
    seq,
    turnId: undefined,
    event: {
      type: 'ended',
      end: { type: 'end', stopReason: (stopReason ?? 'error') as StopReason, output: null, error, at },
      summary: {
        // Only the log knows more.
        ...noSpending,
        iterations: iterations ?? 0,
        inputTokens: inputTokens ?? 0,
        outputTokens: outputTokens ?? 0,
        ...parseCost(totalCost),
        warnings: [],
        durationMs: Math.max(0, Date.parse(at) - Date.parse(startedAt)),
      },
    },
  };
}
