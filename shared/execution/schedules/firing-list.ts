import { notFound } from '../../core/errors/errors.ts';
import { Firing, firingsPartition } from '../../domain/schedules/firing.ts';
import { type Schedule, scheduleEntity } from '../../domain/schedules/schedule.ts';
import { surfaceEntity } from '../../domain/surfaces/surface/surface.ts';
import { using } from '../../platform/aws/uses.ts';
import { type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { batchDefaults } from '../batches/batch.ts';
import type { BatchState } from '../batches/batch-progress.ts';
import { batchFinder } from '../batches/batch-store.ts';

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
export const firingList = /* @__PURE__ */ using([batchFinder], (scope: Scope) => {
  const { table } = scope;

  async function listFirings(scheduleId: string, query: CursorQuery) {
    const source = { partition: firingsPartition(scheduleId), index: 1, kind: 'firing' } as const;
    const { rows, pagination } = await cursorPage(table, source, query);
    return { firings: rows.map((row) => Listed.parse({ ...row, scheduleId })), pagination };
  }

  async function readStates(schedule: Schedule, firings: readonly ListedFiring[]) {
    const ids = firings.flatMap(({ batchId }) => batchId ?? []);
    const ahead = findUnfinishedBatch(schedule);
    const batches = await batchFinder(scope).statesOf(
      ids,
      ahead && ids.includes(ahead.id) ? ahead : undefined,
    );
    return firings.map((firing) => toState(firing, batches));
  }

  return {
    async list(schedule: Schedule, query: CursorQuery): Promise<FiringState[]> {
      const { firings } = await listFirings(schedule.id, query);
      return readStates(schedule, firings);
    },

    /** @throws 404 if there is no such schedule, or its surface was deleted. */
    async listBySchedule(id: string, query: CursorQuery) {
      const [schedule, { firings, pagination }] = await Promise.all([
        table.get(scheduleEntity, { id }),
        listFirings(id, query),
      ]);
      if (!schedule) throw notFound('Schedule');
      const { productId, surfaceId } = schedule;
      const [states, surface] = await Promise.all([
        readStates(schedule, firings),
        table.get(surfaceEntity, { productId, id: surfaceId }),
      ]);
      if (!surface) throw notFound('Schedule');
      return { firings: states, pagination };
    },
  };
});

/** A schedule fires again only after its last batch has ended, whose outcome it then stores. */
function findUnfinishedBatch({ lastFiring, executionOptions }: Schedule) {
  const { recordConcurrency = batchDefaults.recordConcurrency } = executionOptions;
  return lastFiring ? { id: lastFiring.batchId, recordConcurrency } : undefined;
}

function toState(firing: ListedFiring, batches: ReadonlyMap<string, BatchState>): FiringState {
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
