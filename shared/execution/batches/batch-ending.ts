import { conflict } from '../../core/errors/errors.ts';
import { measure } from '../../core/invocation.ts';
import { noNotice } from '../../domain/deliveries/end-notice.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { removeFromSweepIndex } from '../../platform/cleanup/sweeps.ts';
import { ConditionFailed, ifRefused } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Batch, batchEntity } from './batch.ts';
import { type BatchProgress, batchProgress, isBatchOver, sumSlots } from './batch-progress.ts';
import { endingOfBatch, relistStopped, runOfBatch } from './batch-run.ts';
import { readSlots } from './read-slots.ts';
import { totalsOfSlots } from './slot-totals.ts';

/** A stopped batch is exported with the records that end so soon. */
const runningSeconds = 10;

/** Stores the outcome of a batch that has ended, and lists its end; a single run lists its own. @returns its progress. */
export async function settledBatch(scope: Scope, batch: Batch): Promise<BatchProgress> {
  const { table, now } = scope;
  if (batch.outcome) return batchProgress(batch, batch.outcome);
  const slots = await readSlots(scope, batch);
  const outcome = sumSlots(batch.startedAt, slots);
  const progress = batchProgress(batch, outcome);
  if (batch.stopped && !batch.dispatched) await relistStopped(scope, batch, outcome, totalsOfSlots(slots));
  if (!isBatchOver(batch, outcome)) return progress;
  const { status, completedAt } = progress;
  const isListed = !batch.dispatched && !batch.stopped && (status === 'completed' || status === 'failed');
  const at = completedAt ?? now().toISOString();
  const end = isListed
    ? await runEnd(
        scope,
        runOfBatch(batch),
        endingOfBatch(batch, outcome, totalsOfSlots(slots), { status, at }),
      )
    : noNotice;
  const write = table.writes.update(
    batchEntity,
    { id: batch.id },
    { set: { outcome }, ...removeFromSweepIndex },
    { expression: 'attribute_exists(PK) AND attribute_not_exists(#summary.#outcome)' },
  );
  const isFirst = await table.commit([write, ...end.writes]).then(() => true, ifRefused(false));
  if (!isFirst) return progress;
  if (status === 'completed') measure('BatchesCompleted');
  await end.send();
  return progress;
}

/** Cancels or fails a batch. Records that run now still finish; no further record starts. */
export async function stopBatch(
  scope: Scope,
  batch: Batch,
  { stopped, error }: { stopped: 'cancelled' | 'failed'; error: string | null },
): Promise<Batch> {
  const { table, now } = scope;
  const slots = await readSlots(scope, batch);
  const outcome = sumSlots(batch.startedAt, slots);
  const { status } = batchProgress(batch, outcome);
  if (status !== 'scheduled' && status !== 'running')
    throw conflict(`The batch already has the status ${status}`);
  const at = now().toISOString();
  const set = { stopped, stoppedAt: at, error };
  const ending = endingOfBatch({ ...batch, error }, outcome, totalsOfSlots(slots), {
    status: stopped,
    at,
  });
  // A run by itself ends itself once more, with its steps.
  const end = await runEnd(scope, runOfBatch(batch), ending, {
    isTold: !batch.dispatched,
    delaySeconds: runningSeconds,
  });
  const open = { expression: 'attribute_type(#summary.#stopped, :null)', values: { null: 'NULL' } };
  try {
    await table.commit([table.writes.update(batchEntity, { id: batch.id }, { set }, open), ...end.writes]);
    await end.send();
    measure(stopped === 'cancelled' ? 'BatchesCancelled' : 'BatchesFailed');
    return { ...batch, ...set };
  } catch (failure) {
    throw failure instanceof ConditionFailed ? conflict('The batch has already ended') : failure;
  }
}
