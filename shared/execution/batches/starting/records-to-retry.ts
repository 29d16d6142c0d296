import { invalidAt, notFound } from '../../../core/errors/errors.ts';
import { recordEntity } from '../../../domain/records/record.ts';
import { recordStore } from '../../../domain/records/record-store.ts';
import { using } from '../../../platform/aws/uses.ts';
import { decode } from '../../../platform/data/entity.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { checkpointEntity } from '../../runs/checkpoints/checkpoint.ts';
import { checkpointsOfFlow } from '../../runs/checkpoints/checkpoint-index.ts';
import type { Batch } from '../batch.ts';
import { batchStore } from '../batch-store.ts';
import { batchPlanner, recordRunId } from './batch-plan.ts';

/** The records whose last run did not complete, or these. */
export type RetryRecords = 'failed' | readonly string[];

interface ToRetry {
  recordIds: string[];
  /** Named records that were not in the batch, by their place. */
  unknown: { id: string; index: number }[];
  /** Those whose last run failed in a step that may have taken effect. */
  outcomeUnknown: ReadonlySet<string>;
}

interface Ends {
  completed: Set<string>;
  outcomeUnknown: Set<string>;
}

/** How many results a request reads to find those that did not complete. */
const entriesMax = 300_000;
const recordsPerQuery = 1_000;

const parts = ['table:read', batchStore, batchPlanner, recordStore] as const;

export const recordsToRetry = /* @__PURE__ */ using(parts, (scope: Scope) => {
  const { table } = scope;
  const planner = batchPlanner(scope);

  /** The records of the first batch, as far as they exist. */
  async function recordsOf(first: Batch): Promise<readonly string[]> {
    const { recordType, lastRecordId } = first;
    if (recordType === null) return batchStore(scope).recordIds(first);
    const ids: string[] = [];
    const until = lastRecordId === undefined ? {} : { until: lastRecordId };
    for (let after: string | null = null; ; after = ids.at(-1) ?? null) {
      const { records, isCut } = await planner.recordsOf(recordType, {
        after,
        ...until,
        limit: recordsPerQuery,
      });
      for (const { id } of records) ids.push(id);
      if (!isCut) return ids;
    }
  }

  /** The records whose newest run in these batches completed, and those of which nobody knows what it did. */
  async function endsIn([first, ...retries]: readonly [Batch, ...Batch[]]): Promise<Ends> {
    const ids = new Set([first, ...retries].map(({ id }) => id));
    const seen = new Set<string>();
    const ends: Ends = { completed: new Set(), outcomeUnknown: new Set() };
    let read = 0;
    const newestFirst = { newestFirst: true, from: first.startedAt, atFirst: recordsPerQuery };
    for await (const { batchId, recordId, finished } of checkpointsOfFlow(table, first.flowId, newestFirst)) {
      if (++read > entriesMax) throw tooMany();
      if (!finished || !batchId || !ids.has(batchId) || seen.has(recordId)) continue;
      seen.add(recordId);
      if (finished.status === 'completed') ends.completed.add(recordId);
      if (finished.errorCode === 'OUTCOME_UNKNOWN') ends.outcomeUnknown.add(recordId);
    }
    return ends;
  }

  /** Whether they ran in the first batch, or would have. */
  async function areIn(first: Batch, recordIds: readonly string[]): Promise<boolean[]> {
    if (first.recordType === null) {
      const listed = new Set(await recordsOf(first));
      return recordIds.map((id) => listed.has(id));
    }
    const items = await table.getMany(
      recordIds.flatMap((recordId) => [
        recordEntity.key({ id: recordId }),
        checkpointEntity.key({ recordId, runId: recordRunId(first, recordId), index: 0 }),
      ]),
    );
    return recordIds.map((id, index) => {
      const [item, checkpoint] = items.slice(2 * index, 2 * index + 2);
      const isOfType = item && decode(recordEntity, item).type === first.recordType;
      return Boolean(checkpoint || (isOfType && id <= (first.lastRecordId ?? '')));
    });
  }

  return async (
    chain: readonly [Batch, ...Batch[]],
    records: RetryRecords,
    from: 'failed-step' | 'start',
  ): Promise<ToRetry> => {
    const named = records === 'failed' ? undefined : records;
    const isIn = named && (await areIn(chain[0], named));
    const unknown = (named ?? []).flatMap((id, index) => (isIn?.[index] ? [] : [{ id, index }]));
    if (unknown.length > 0) return { recordIds: [], unknown, outcomeUnknown: new Set() };
    const [all, { completed, outcomeUnknown }] = await Promise.all([
      named ?? recordsOf(chain[0]),
      endsIn(chain),
    ]);
    const mayHaveCompleted = named && from === 'start';
    const open = mayHaveCompleted ? all : all.filter((id) => !completed.has(id));
    const deleted = new Set(await recordStore(scope).missing(open));
    if (named && deleted.size > 0) throw deletedRecords(named, deleted);
    return { recordIds: open.filter((id) => !deleted.has(id)), unknown, outcomeUnknown };
  };
});

const deletedRecords = (named: readonly string[], deleted: ReadonlySet<string>) =>
  notFound(
    'Record',
    named.flatMap((id, index) => {
      const message = `The record ${id} does not exist any more; leave it out`;
      return deleted.has(id) ? [{ path: `records.${index}`, code: 'NOT_FOUND' as const, message }] : [];
    }),
  );

const tooMany = () =>
  invalidAt(
    'records',
    'TOO_MANY_RESULTS',
    `The flow has more than ${entriesMax} results since the batch began; name the records`,
  );
