/**
 * Divides the slots of a tenant between its active batches, and decides which slots of a batch may run.
 * One item per tenant lists the running batches, the oldest first. Whatever changes the list (a start, an end, a
 * cancellation, the sweep) writes it with a condition on its revision, in one transaction with the new `slotShare` of
 * each batch that changes; then it releases held slots of the batches that got more.
 * A batch with a share runs as many slots as `claimedSlots` has entries (the permits, written by `run-slot.ts`). A slot
 * without a permit is held: one message waits invisibly, the others follow it in their FIFO group.
 * `holdSlot` writes the held slot and then reads the share, `divide` writes the share and then reads the held slots: so
 * no release is missed. If a release is lost all the same, the held message returns after `heldSeconds`.
 * Shares are soft: a batch that must give slots up uses them until its records end that run now.
 */
import * as z from 'zod';
import { tooManyAtOnce } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time.ts';
import { type Priority, priorities } from '../../domain/runs/priority.ts';
import { deleteMessages } from '../../platform/aws/queues.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { decode, defineEntity, type ItemOf } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { isUnchanged } from '../../platform/data/modify.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, exists, type Write } from '../../platform/data/writes.ts';
import {
  type Batch,
  batchEntity,
  heldSlotEntity,
  heldSlotsRange,
  parseSlotItems,
  type SlotKey,
  slotEntity,
} from './batch.ts';
import { isBatchOver, sumSlots } from './batch-progress.ts';
import { getRecordsPerMessage } from './run-message.ts';

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

const Running = z.object({
  id: z.string(),
  /** How many it can use. */
  slots: z.int(),
  priority: z.enum(priorities).default('normal'),
  /** How many of them it may use, if not all. */
  share: z.int().optional(),
  /** Whether some of its slots have ended: it counts the ends of the others too. */
  isShrinking: z.literal(true).optional(),
});
type Running = z.output<typeof Running>;

/** A tenant's batches that may be active, the oldest first. Those that have ended leave it once slots are scarce. */
const runningBatchesEntity = defineEntity({
  type: 'runningBatches',
  schema: z.object({ revision: z.int(), batches: z.array(Running) }),
  key: () => ({ PK: tenantPartition('RUNNING'), SK: 'BATCHES' }),
});
type RunningBatches = ItemOf<typeof runningBatchesEntity>;

/** What the start of a batch reads first. */
export const runningBatchesKey = /* @__PURE__ */ runningBatchesEntity.key({});

/** Until a running batch gives its slots up, they are used twice: at most until its records end that run now. */
const assignShares = (running: readonly Running[]): Running[] => {
  const shares = divideSlots(running, tenantSlots);
  return running.map(({ share: _share, ...batch }, index) => {
    const share = shares[index] ?? batch.slots;
    return share < batch.slots || batch.isShrinking ? { ...batch, share } : batch;
  });
};

/**
 * Creates a batch within its tenant's share, however many start at a time (D54).
 * @param create Writes the batch in one transaction with the given writes. `share`: how many slots it may use, if not all.
 * @throws RATE_LIMITED if too many batches are active.
 */
export const startWithinShare = (
  scope: Scope,
  started: { id: string; slots: number; priority?: Priority | undefined },
  create: (share: number | undefined, alsoWrite: readonly Write[]) => Promise<unknown>,
): Promise<void> =>
  retryOnConflict(
    async () => {
      const list = await readList(scope);
      const listed = list?.batches ?? [];
      const isFull =
        listed.length >= tenantBatchesMax || countWantedSlots(listed) + started.slots > tenantSlots;
      const { active, idle } = isFull ? await readRemaining(scope, listed) : { active: listed, idle: [] };
      if (active.length >= tenantBatchesMax)
        throw tooManyAtOnce(
          `${active.length} batches are active. Wait until one has ended, or cancel one`,
          retryAfterSeconds,
        );
      const next = assignShares([...active, { ...started, priority: started.priority ?? 'normal' }]);
      const { writes, raised } = toListChanges(scope, list, next, idle);
      await create(next.at(-1)?.share, writes);
      await Promise.all(raised.map((id) => releaseSlots(scope, id)));
    },
    { conflictError: () => tooManyAtOnce('Too many batches are starting at once', 5) },
  );

/** Divides the slots of the tenant anew, if some batch has fewer than it can use. */
export const slotDivider = /* @__PURE__ */ using(
  ['table:write', 'table:delete', 'queue:runs:release'],
  (scope: Scope) => ({
    /** Call when a batch has ended or was stopped. */
    releaseBatch: (id: string): Promise<void> =>
      divide(scope, async (listed) => ({ active: listed.filter((each) => each.id !== id), idle: [] })),
    /** Call when a batch has fewer slots with records than it may use. */
    shrink: (id: string, slots: number): Promise<void> =>
      divide(scope, async (listed) => ({
        active: listed.map((each) =>
          each.id === id && slots < each.slots ? { ...each, slots, isShrinking: true as const } : each,
        ),
        idle: [],
      })),
    /** Leaves out the batches that have ended or only wait. */
    divide: (): Promise<void> => divide(scope, (listed) => readRemaining(scope, listed)),
  }),
);

const divide = (scope: Scope, remaining: (listed: readonly Running[]) => Promise<Remaining>): Promise<void> =>
  retryOnConflict(async () => {
    const list = await readList(scope);
    if (!list?.batches.some(({ share }) => share !== undefined)) return;
    const { active, idle } = await remaining(list.batches);
    if (active.length === list.batches.length && active.every((batch) => list.batches.includes(batch)))
      return;
    const { writes, raised } = toListChanges(scope, list, assignShares(active), idle);
    await scope.table.commit(writes);
    await Promise.all(raised.map((id) => releaseSlots(scope, id)));
  });

const readList = ({ table }: Scope) => table.get(runningBatchesEntity, {}, { consistent: true });

const countWantedSlots = (running: readonly Running[]) => running.reduce((sum, { slots }) => sum + slots, 0);

/** The list as it is to be, and the shares of the batches in it that change. A new batch has its share with its creation. */
function toListChanges(
  { table: { writes } }: Scope,
  list: RunningBatches | undefined,
  next: readonly Running[],
  idle: readonly Running[],
): { writes: Write[]; raised: string[] } {
  const revision = (list?.revision ?? 0) + 1;
  const before = new Map(list?.batches.map((batch) => [batch.id, batch]));
  const free = idle.map(({ share: _share, ...batch }): Running => batch);
  const changed = [...next, ...free].filter(({ id, share }) => {
    const earlier = before.get(id);
    return earlier && earlier.share !== share;
  });
  const set = ({ id, share }: Running) =>
    writes.update(
      batchEntity,
      { id },
      share === undefined ? { remove: ['slotShare', 'claimedSlots'] } : { set: { slotShare: share } },
      exists,
    );
  const isRaised = ({ id, slots, share = slots }: Running) => share > (before.get(id)?.share ?? slots);
  return {
    writes: [
      writes.put(runningBatchesEntity, { revision, batches: [...next] }, list ? isUnchanged(list) : absent),
      ...changed.map(set),
    ],
    raised: changed.filter(isRaised).map(({ id }) => id),
  };
}

interface Remaining {
  active: Running[];
  /** Unfinished batches whose records wait. */
  idle: Running[];
}

async function readRemaining({ table, now }: Scope, running: readonly Running[]): Promise<Remaining> {
  const items = await table.getMany(
    running.map(({ id }) => batchEntity.key({ id })),
    { consistent: true },
  );
  const open = items
    .flatMap((item) => (item ? [decode(batchEntity, item)] : []))
    .filter(({ stopped, outcome }) => !stopped && !outcome);
  const toCounterKeys = ({ id: batchId, recordConcurrency }: Batch) =>
    Array.from({ length: recordConcurrency }, (_, slot) => slotEntity.key({ batchId, slot }));
  const counters = await table.getMany(open.flatMap(toCounterKeys), { consistent: true });
  const active = new Set<string>();
  const idle = new Set<string>();
  let offset = 0;
  for (const batch of open) {
    const batchCounters = counters.slice(offset, offset + batch.recordConcurrency);
    offset += batchCounters.length;
    const totals = sumSlots(batch.startedAt, parseSlotItems(batchCounters));
    if (isBatchOver(batch, totals)) continue;
    const isIdle = now().getTime() - Date.parse(totals.lastAt) >= idleMs;
    (isIdle ? idle : active).add(batch.id);
  }
  return {
    active: running.filter(({ id }) => active.has(id)),
    idle: running.filter(({ id }) => idle.has(id)),
  };
}

const weights: Record<Priority, number> = { high: 8, normal: 3, low: 1 };

interface SlotDemand {
  /** How many slots the batch can use. */
  slots: number;
  priority: Priority;
}

/**
 * Divides slots between batches: first between the priorities, by their weights and up to what they can use, then within
 * each to the oldest batch first. Every batch has one at the least, which may exceed the slots that there are.
 * @param demands The oldest first. @returns the slots of each.
 */
export function divideSlots(demands: readonly SlotDemand[], slots: number): number[] {
  const left = dividePrioritySlots(demands, slots);
  return demands.map(({ slots: wanted, priority }) => {
    const granted = Math.min(wanted, left[priority]);
    left[priority] -= granted;
    return Math.max(1, granted);
  });
}

/** The method of Sainte-Laguë: the next slot goes to the priority that has the fewest for its weight. */
function dividePrioritySlots(demands: readonly SlotDemand[], slots: number): Record<Priority, number> {
  const shares = { high: 0, normal: 0, low: 0 };
  const wanted = { high: 0, normal: 0, low: 0 };
  for (const demand of demands) wanted[demand.priority] += demand.slots;
  for (let left = slots; left > 0; left--) {
    const claim = (priority: Priority) => weights[priority] / (2 * shares[priority] + 1);
    const [next] = priorities
      .filter((priority) => shares[priority] < wanted[priority])
      .toSorted((a, b) => claim(b) - claim(a));
    if (!next) break;
    shares[next]++;
  }
  return shares;
}

/** After this time a held slot asks again, should nobody have released it. */
export const heldSeconds = 3_600;

export type SharedBatch = Pick<
  Batch,
  'id' | 'stopped' | 'slotShare' | 'claimedSlots' | 'endedSlots' | 'recordConcurrency' | 'totalRecords'
>;

/** How many slots of a batch have not come to their end. */
const countSlotsLeft = ({ recordConcurrency, totalRecords, endedSlots = [] }: SharedBatch): number =>
  Math.min(recordConcurrency, totalRecords) - endedSlots.length;

/**
 * How many records a slot may run at a time: one, until fewer slots of its batch are left than the share has permits. Without
 * that, a batch that got few slots late would end in those that had waited, and leave most of its share to lower priorities.
 * The ends of slots are known from the time when slots were scarce.
 */
export function getSlotWidth(batch: SharedBatch, slot: number): number {
  const { stopped, recordConcurrency, slotShare = recordConcurrency, endedSlots = [] } = batch;
  const left = countSlotsLeft(batch);
  if (stopped || left < 1 || left >= slotShare) return 1;
  const rank = slot - endedSlots.filter((each) => each < slot).length;
  return Math.min(Math.floor((slotShare - 1 - Math.min(rank, left - 1)) / left) + 1, getSlotWidthMax(batch));
}

/** As many records as a message of a slot has, unless it is its last: a delivery brings one message at the least (D56). */
const getSlotWidthMax = ({ recordConcurrency, totalRecords }: SharedBatch): number =>
  getRecordsPerMessage(Math.ceil(totalRecords / recordConcurrency));

/** How many permits of its share a batch can still use. */
export const countUsablePermits = (batch: SharedBatch): number =>
  Math.max(1, countSlotsLeft(batch) * getSlotWidthMax(batch));

/** Whether a slot may run records of its batch: it has a permit or needs none, may acquire one, or must wait. */
export function getSlotPermit(batch: SharedBatch, slot: number): 'has' | 'may' | 'none' {
  const { stopped, slotShare, claimedSlots = [], endedSlots = [] } = batch;
  if (slotShare === undefined || stopped) return 'has';
  // What was sent anew at the end of the slots need not wait for one another.
  if (endedSlots.includes(slot) && countSlotsLeft(batch) < slotShare) return 'has';
  const index = claimedSlots.indexOf(slot);
  if (index >= 0) return index < slotShare ? 'has' : 'none';
  return claimedSlots.length < slotShare ? 'may' : 'none';
}

/**
 * Remembers the message that holds a slot, whose records have been sent anew behind it.
 * @returns whether it holds it: not if the slot may run by now.
 */
export async function holdSlot(scope: Scope, key: SlotKey, receiptHandle: string): Promise<boolean> {
  const { table, now } = scope;
  const ttl = unixSeconds(now()) + 2 * heldSeconds;
  await table.commit([table.writes.put(heldSlotEntity, { ...key, receiptHandle, ttl })]);
  // A raised share is written before the held slots are read, so one of the two sees the other.
  const batch = await table.get(batchEntity, { id: key.batchId }, { consistent: true });
  if (batch && getSlotPermit(batch, key.slot) === 'none') return true;
  await table.commit([table.writes.remove(heldSlotEntity, key)]);
  return false;
}

/** Releases held slots that may run by now. If that fails, they ask again after `heldSeconds`. */
export async function releaseSlots(scope: Scope, batchId: string): Promise<void> {
  try {
    await releaseHeldSlots(scope, batchId);
  } catch (error) {
    log.warn('Slots of a batch could not be released; they will ask again', { error, batchId });
  }
}

async function releaseHeldSlots({ table }: Scope, batchId: string): Promise<void> {
  const [items, batch] = await Promise.all([
    table.queryAll({ ...heldSlotsRange(batchId), consistent: true }),
    table.get(batchEntity, { id: batchId }, { consistent: true }),
  ]);
  const held = items.map((item) => decode(heldSlotEntity, item));
  const { slotShare = held.length, claimedSlots = [] } = batch ?? {};
  let free = slotShare - claimedSlots.length;
  const released = held.filter(({ slot }) => {
    const permit = batch ? getSlotPermit(batch, slot) : 'has';
    return permit === 'has' || (permit === 'may' && free-- > 0);
  });
  if (released.length === 0) return;
  await deleteMessages(
    'RUNS_QUEUE_URL',
    released.map(({ receiptHandle }) => receiptHandle),
  );
  await Promise.all(
    released.map((slot) => {
      // It may be held again by now.
      const isSame = { expression: '#receiptHandle = :handle', values: { handle: slot.receiptHandle } };
      return table
        .commit([table.writes.remove(heldSlotEntity, slot, isSame)])
        .catch(onConditionFailed(undefined));
    }),
  );
}
