import { notFound } from '../../core/errors/errors.ts';
import { Firing, firingsPartition } from '../../domain/schedules/firing.ts';
import { scheduleEntity } from '../../domain/schedules/schedule.ts';
import { surfaceEntity } from '../../domain/surfaces/surface/surface.ts';
import { using } from '../../platform/aws/uses.ts';
import { type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { BatchState } from '../batches/batch-store.ts';
import { batchStore } from '../batches/batch-store.ts';

const Listed = Firing.omit({ ttl: true });
type ListedFiring = Omit<Firing, 'ttl'>;

export interface FiringState extends Pick<Firing, 'id' | 'scheduleId' | 'flowId' | 'createdAt'> {
  status: 'scheduled' | 'running' | 'completed' | 'failed' | 'cancelled' | 'skipped';
  startedAt: string | null;
  completedAt: string | null;
  error: string | null;
  batchExecutionId: string | null;
  totalRecords: number | null;
  processedRecords: number | null;
  failedRecords: number | null;
  totalCostUsd: number | null;
}

/** The history of schedules, newest first. */
export const firingList = /* @__PURE__ */ using([batchStore], (scope: Scope) => {
  const { table } = scope;

  async function list(scheduleId: string, query: CursorQuery) {
    const source = { partition: firingsPartition(scheduleId), index: 1, kind: 'firing' } as const;
    const { rows, pagination } = await cursorPage(table, source, query);
    const firings = rows.map((row) => Listed.parse({ ...row, scheduleId }));
    const batches = await batchStore(scope).statesOf(firings.flatMap(({ batchId }) => batchId ?? []));
    return { firings: firings.map((firing) => stateOf(firing, batches)), pagination };
  }

  return {
    list,

    /** @throws 404 if there is no such schedule, or its surface was deleted. */
    async ofSchedule(id: string, query: CursorQuery) {
      const schedule = await table.get(scheduleEntity, { id });
      const { productId = '', surfaceId = '' } = schedule ?? {};
      const surface = schedule && (await table.get(surfaceEntity, { productId, id: surfaceId }));
      if (!surface) throw notFound('Schedule');
      return list(id, query);
    },
  };
});

function stateOf(firing: ListedFiring, batches: ReadonlyMap<string, BatchState>): FiringState {
  const { id, scheduleId, flowId, createdAt, state, startedAt, completedAt, error, batchId } = firing;
  const base = { id, scheduleId, flowId, createdAt, startedAt };
  const batch = batchId === null ? undefined : batches.get(batchId);
  if (!batch) {
    const counters = { totalRecords: null, processedRecords: null, failedRecords: null, totalCostUsd: null };
    const status = state === 'skipped' || state === 'failed' ? state : 'scheduled';
    return { ...base, completedAt, error, status, batchExecutionId: null, ...counters };
  }
  const { progress, cost } = batch;
  const { status, totalRecords, processedRecords, failedRecords } = progress;
  return {
    ...base,
    status,
    totalRecords,
    processedRecords,
    failedRecords,
    totalCostUsd: cost,
    completedAt: progress.completedAt,
    error: batch.error,
    batchExecutionId: batchId,
  };
}
