import { log } from '../../../core/log.ts';
import { bothNotices, noNotice } from '../../../domain/deliveries/end-notice.ts';
import { runEntity } from '../../../domain/runs/run.ts';
import { runEnd } from '../../../domain/runs/run-end.ts';
import { runNotice } from '../../../domain/runs/run-notice.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Checkpoint } from '../../runs/checkpoints/checkpoint.ts';
import { readCheckpoints, redeliveryExpiresAt } from '../../runs/checkpoints/read-checkpoints.ts';
import { type FinalWrite, openRunRecorder, type RunRecorder } from '../../runs/checkpoints/run-recorder.ts';
import type { SealedValues } from '../../runs/checkpoints/sealed-values.ts';
import { endError, endingOfFlow } from '../../runs/flow-run-listing.ts';
import type { Batch } from '../batch.ts';
import { isEnded } from '../batch-progress.ts';
import { runOfBatch } from '../batch-run.ts';
import { batchFinder } from '../batch-store.ts';
import { slotDivider } from '../concurrency/slot-sharing.ts';
import { groupCommits, type RunCommits } from './group-commit.ts';
import type { GivenUpJob, RecordJob } from './record-jobs.ts';

/** Fails a record from the dead-letter queue, unless it has ended meanwhile. */
export async function failRecord(scope: Scope, job: GivenUpJob, error: string): Promise<void> {
  const { batch, readable: earlier, written, hasEnded } = job;
  if (!batch || hasEnded) return;
  const ran = await groupCommits(scope)((commits) =>
    batchRecorder(scope, job, batch, { commits, earlier, written }).finish(error),
  );
  await ran.stored;
}

export const earlierCheckpoints = async (scope: Scope, { message, firstCheckpoint }: RecordJob) =>
  !firstCheckpoint || firstCheckpoint.end
    ? [firstCheckpoint].filter((each) => each !== undefined)
    : readCheckpoints(scope, message);

export async function settleAfter(
  scope: Scope,
  { batchId, isLast, polls }: RecordJob['message'],
): Promise<void> {
  if (isLast || polls !== undefined) await settleAtOnce(scope, batchId);
}

/** If it fails, a sweep settles the batch. */
export async function settleAtOnce(scope: Scope, batchId: string): Promise<void> {
  try {
    const progress = await batchFinder(scope).settle(batchId);
    if (progress && isEnded(progress)) await slotDivider(scope).giveUp(batchId);
  } catch (error) {
    log.warn('The end of a batch could not be stored; a sweep will', { error, batchId });
  }
}

interface RecorderOptions {
  commits: RunCommits;
  earlier: readonly Checkpoint[];
  /** Whose acts those of the run are. Default: its own. */
  identity?: string;
  /** How many checkpoints the run has, if some of them cannot be read. */
  written?: number;
  /** Of what runs the steps. */
  sealed?: SealedValues;
  /** Asked at the end. */
  isCancelled?: () => boolean;
}

/** Counts the record at its end, unless the batch was stopped before: then its totals stay. */
export function batchRecorder(
  scope: Scope,
  { message, record, flowDeleted }: RecordJob,
  batch: Batch,
  {
    commits,
    earlier,
    identity,
    written,
    sealed,
    isCancelled = () => batch.stopped === 'cancelled',
  }: RecorderOptions,
): RunRecorder {
  const { userId, organizationId, flowId, flowName, flowVersionId, subFlows, ttl, surface, stopped } = batch;
  const { batchId, recordId, runId, slot } = message;
  const { name: recordName = null, metadata: recordMetadata = {} } = record ?? {};
  const ids = { userId, organizationId, flowId, flowName, flowVersionId, batchId, runId, recordId };
  // Checkpoints of a deleted flow or record may be written after its cleanup, so they need a TTL.
  const isOrphan = flowDeleted || (recordId !== null && !record);
  const forgotten = isOrphan ? redeliveryExpiresAt(scope) : ttl;
  const facts = {
    ...ids,
    ...(subFlows && { subFlows }),
    ...(identity !== undefined && identity !== runId && { identity }),
    recordName,
    recordMetadata,
    ...(forgotten !== undefined && { ttl: forgotten }),
  };
  const commitEnd = async (ending: FinalWrite) => {
    const { failed, output } = ending;
    // Its process looks once a second, so it may have been cancelled since.
    const isOver = isCancelled() || (batch.dispatched && (await isListedAsCancelled(scope, runId)));
    const status = isOver ? 'cancelled' : failed ? 'failed' : 'completed';
    const error = endError(status, ending.error);
    const notice = await runNotice(scope, surface, { executionId: runId, status, output, error });
    const listed = batch.dispatched
      ? await runEnd(scope, runOfBatch(batch), endingOfFlow({ ...ending, error }, status))
      : noNotice;
    commits.end({
      ...ending,
      batchId,
      slot,
      isCounted: stopped === null && status !== 'cancelled',
      notice: bothNotices(notice, listed),
      after: () => settleAfter(scope, message),
    });
  };
  return openRunRecorder(scope, facts, commitEnd, {
    earlier,
    written,
    sealed,
    commitProgress: commits.progress,
  });
}

const isListedAsCancelled = async ({ table }: Scope, id: string): Promise<boolean> =>
  (await table.get(runEntity, { id }, { consistent: true }))?.status === 'cancelled';
