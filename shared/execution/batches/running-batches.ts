import * as z from 'zod';
import { tooManyAtOnce } from '../../core/errors/errors.ts';
import { decode, defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { isUnchanged } from '../../platform/data/modify.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, type Write } from '../../platform/data/writes.ts';
import { type Batch, batchEntity, slotEntity, slotItems } from './batch.ts';
import { isBatchOver, totalsOf } from './batch-progress.ts';

/** How many records all batches of a tenant run concurrently. A batch beyond it runs one at a time. */
export const tenantSlots = 50;
/** How many batches of a tenant may be active. With `tenantSlots`, this bounds what a tenant occupies. */
export const tenantBatchesMax = 50;
const retryAfterSeconds = 60;
/**
 * After so long without a processed record a batch occupies no slot: an invocation lasts 15 minutes at most, so its
 * records wait for their time. When they resume, they run beyond the share, within the concurrency of the queue.
 */
const idleMs = 16 * 60_000;

const Running = z.object({ id: z.string(), slots: z.int() });
type Running = z.infer<typeof Running>;

/** A tenant's batches that may be active: those that have ended or only wait leave the list when it is full. */
const runningBatchesEntity = defineEntity({
  type: 'runningBatches',
  schema: z.object({ revision: z.int(), batches: z.array(Running) }),
  key: () => ({ PK: tenantPartition('RUNNING'), SK: 'BATCHES' }),
});

/**
 * Creates a batch within its tenant's share, however many start at a time.
 * @param create Writes the batch with so many slots, in one transaction with the given write.
 * @throws RATE_LIMITED if too many batches are active.
 */
export const startWithinShare = (
  scope: Scope,
  { id, slots: wanted }: Running,
  create: (slots: number, alsoWrite: Write) => Promise<unknown>,
): Promise<void> =>
  retryOnConflict(
    async () => {
      const { table } = scope;
      const list = await table.get(runningBatchesEntity, {}, { consistent: true });
      const listed = list?.batches ?? [];
      const isFull = listed.length >= tenantBatchesMax || used(listed) + wanted > tenantSlots;
      const running = isFull ? await activeOf(scope, listed) : listed;
      if (running.length >= tenantBatchesMax)
        throw tooManyAtOnce(
          `${running.length} batches are active. Wait until one has ended, or cancel one`,
          retryAfterSeconds,
        );
      const slots = Math.max(1, Math.min(wanted, tenantSlots - used(running)));
      const next = { revision: (list?.revision ?? 0) + 1, batches: [...running, { id, slots }] };
      const condition = list ? isUnchanged(list) : absent;
      await create(slots, table.writes.put(runningBatchesEntity, next, condition));
    },
    { conflictError: () => tooManyAtOnce('Too many batches are starting at once', 5) },
  );

const used = (running: readonly Running[]) => running.reduce((sum, { slots }) => sum + slots, 0);

async function activeOf({ table, now }: Scope, running: readonly Running[]): Promise<Running[]> {
  const items = await table.getMany(
    running.map(({ id }) => batchEntity.key({ id })),
    { consistent: true },
  );
  const open = items
    .flatMap((item) => (item ? [decode(batchEntity, item)] : []))
    .filter(({ stopped, outcome }) => !stopped && !outcome);
  const keysOf = ({ id: batchId, recordConcurrency }: Batch) =>
    Array.from({ length: recordConcurrency }, (_, slot) => slotEntity.key({ batchId, slot }));
  const counters = await table.getMany(open.flatMap(keysOf), { consistent: true });
  const active = new Set<string>();
  let place = 0;
  for (const batch of open) {
    const own = counters.slice(place, place + batch.recordConcurrency);
    place += own.length;
    if (isActive(batch, own, now())) active.add(batch.id);
  }
  return running.filter(({ id }) => active.has(id));
}

function isActive(batch: Batch, counters: readonly unknown[], now: Date): boolean {
  const totals = totalsOf(batch.startedAt, slotItems(counters));
  return !isBatchOver(batch, totals) && now.getTime() - Date.parse(totals.lastAt) < idleMs;
}
