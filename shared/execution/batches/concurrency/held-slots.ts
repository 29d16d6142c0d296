import { log } from '../../../core/log.ts';
import { unixSeconds } from '../../../core/time/unix-seconds.ts';
import { deleteMessages } from '../../../platform/aws/queues.ts';
import { ifRefused } from '../../../platform/data/condition-failed.ts';
import { decode } from '../../../platform/data/entity.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { type Batch, batchEntity, heldSlotEntity, heldSlotsRange, type SlotKey } from '../batch.ts';
import { recordsPerMessage } from '../messages/run-message.ts';

/** After this time a held slot asks again, should nobody have released it. */
export const heldSeconds = 3_600;

export type SharedBatch = Pick<
  Batch,
  'id' | 'stopped' | 'slotShare' | 'claimedSlots' | 'endedSlots' | 'recordConcurrency' | 'totalRecords'
>;

/** How many slots of a batch have not come to their end. */
const slotsLeft = ({ recordConcurrency, totalRecords, endedSlots = [] }: SharedBatch): number =>
  Math.min(recordConcurrency, totalRecords) - endedSlots.length;

/**
 * How many records a slot may run at a time: one, until fewer slots of its batch are left than the share has places. Without
 * that, a batch that got few slots late would end in those that had waited, and leave most of its share to lower priorities.
 */
export function slotWidth(batch: SharedBatch, slot: number): number {
  const { stopped, slotShare = 1, endedSlots = [] } = batch;
  const left = slotsLeft(batch);
  if (stopped || left < 1 || left >= slotShare) return 1;
  const rank = slot - endedSlots.filter((each) => each < slot).length;
  return Math.min(Math.floor((slotShare - 1 - Math.min(rank, left - 1)) / left) + 1, slotWidthMax(batch));
}

/** As many records as a message of a slot has: a delivery brings one message at the least. */
const slotWidthMax = ({ recordConcurrency, totalRecords }: SharedBatch): number =>
  recordsPerMessage(Math.ceil(totalRecords / recordConcurrency));

/** How many places of its share a batch can still use. */
export const usablePlaces = (batch: SharedBatch): number =>
  Math.max(1, slotsLeft(batch) * slotWidthMax(batch));

/** Whether a slot may run records of its batch, and if it needs a place in the share for that. */
export function slotPlace(batch: SharedBatch, slot: number): 'has' | 'may' | 'none' {
  const { stopped, slotShare, claimedSlots = [], endedSlots = [] } = batch;
  if (slotShare === undefined || stopped) return 'has';
  // What was sent anew at the end of the slots need not wait for one another.
  if (endedSlots.includes(slot) && slotsLeft(batch) < slotShare) return 'has';
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
  // Who raises the share writes that first, and then looks which slots are held.
  const batch = await table.get(batchEntity, { id: key.batchId }, { consistent: true });
  if (batch && slotPlace(batch, key.slot) === 'none') return true;
  await table.commit([table.writes.remove(heldSlotEntity, key)]);
  return false;
}

/** Lets slots go on that are held and may run. If that fails, they ask again after `heldSeconds`. */
export async function releaseSlots(scope: Scope, batchId: string): Promise<void> {
  try {
    await release(scope, batchId);
  } catch (error) {
    log.warn('Slots of a batch could not be released; they will ask again', { error, batchId });
  }
}

async function release({ table }: Scope, batchId: string): Promise<void> {
  const [items, batch] = await Promise.all([
    table.queryAll({ ...heldSlotsRange(batchId), consistent: true }),
    table.get(batchEntity, { id: batchId }, { consistent: true }),
  ]);
  const held = items.map((item) => decode(heldSlotEntity, item));
  const { slotShare = held.length, claimedSlots = [] } = batch ?? {};
  let free = slotShare - claimedSlots.length;
  const released = held.filter(({ slot }) => {
    const place = batch ? slotPlace(batch, slot) : 'has';
    return place === 'has' || (place === 'may' && free-- > 0);
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
      return table.commit([table.writes.remove(heldSlotEntity, slot, isSame)]).catch(ifRefused(undefined));
    }),
  );
}
