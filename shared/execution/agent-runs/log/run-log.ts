import * as z from 'zod';
import { toChunksWithin } from '../../../core/chunks.ts';
import { mapConcurrently } from '../../../core/concurrency/map-concurrently.ts';
import { RunUse } from '../../../domain/runs/run-use.ts';
import { using } from '../../../platform/aws/uses.ts';
import { decode, defineEntity } from '../../../platform/data/entity.ts';
import { PayloadRef, payloadBytes, payloadReader, payloadWriter } from '../../../platform/data/payloads.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import type { Fact } from '../../agent-loop/facts.ts';
import { agentRunPartition } from '../executions/agent-execution.ts';
import type { TurnNumbers } from './run-events.ts';

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
const fetchedAtOnce = 10;
/** A fact may have more than 100,000 characters. */
const pageSize = 8;
/** A reader that does not take its events keeps a page in memory. */
const pageBytes = 1_000_000;

export const logRange = (executionId: string, after = -1) => ({
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

  return {
    async read(executionId: string, after = -1): Promise<LogEntry[]> {
      const items = await table.queryAll({ ...logRange(executionId, after), consistent: true });
      const entries: LogEntry[] = [];
      for await (const entry of mapConcurrently(items, fetchedAtOnce, load)) entries.push(entry);
      return entries.sort((a, b) => a.n - b.n);
    },

    /** Some of the facts after a number, in order. */
    async page(executionId: string, after: number): Promise<LogPage> {
      const range = logRange(executionId, after);
      const { items, isCut } = await table.first(pageSize, { ...range, consistent: true });
      const bytesOf = (item: Record<string, unknown>) => payloadBytes(decode(factEntity, item).fact);
      const [some = [], ...more] = toChunksWithin(items, pageBytes, bytesOf);
      return { entries: await Promise.all(some.map(load)), hasMore: isCut || more.length > 0 };
    },

    async last(executionId: string): Promise<LogEntry | undefined> {
      const range = { ...logRange(executionId), newestFirst: true, consistent: true };
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
