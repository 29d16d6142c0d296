import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time/unix-seconds.ts';
import { deleteMessages } from '../../platform/aws/queues.ts';
import { ConditionFailed, ifRefused } from '../../platform/data/condition-failed.ts';
import { decode } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { WriteCondition } from '../../platform/data/writes.ts';
import { type Batch, batchEntity, heldSlotEntity, heldSlotsRange, type SlotKey } from './batch.ts';
import type { Ran } from './group-commit.ts';
import type { RecordJob } from './record-jobs.ts';

/** After this time a held slot asks again, should nobody have released it. */
export const heldSeconds = 3_600;
/** Each refusal means that another slot was quicker, of which a batch has 50 at most. */
const claimsMax = 60;

type SharedBatch = Pick<Batch, 'id' | 'stopped' | 'slotShare' | 'claimedSlots' | 'endedSlots'>;

/** Whether a slot may run records of its batch, and if it needs a place in the share for that. */
function placeOf(batch: SharedBatch, slot: number): 'has' | 'may' | 'none' {
  const { stopped, slotShare, claimedSlots = [], endedSlots = [] } = batch;
  if (slotShare === undefined || stopped || endedSlots.includes(slot)) return 'has';
  const index = claimedSlots.indexOf(slot);
  if (index >= 0) return index < slotShare ? 'has' : 'none';
  return claimedSlots.length < slotShare ? 'may' : 'none';
}

/** Takes a place in the share of a batch for one of its slots. @returns whether the slot may run. */
async function claimSlot(scope: Scope, batch: SharedBatch, slot: number): Promise<boolean> {
  const { table } = scope;
  let current: SharedBatch | undefined = batch;
  for (let tries = 0; current && tries < claimsMax; tries++) {
    const place = placeOf(current, slot);
    if (place !== 'may') return place === 'has';
    const claimedSlots = [...(current.claimedSlots ?? []), slot];
    const write = table.writes.update(batchEntity, current, { set: { claimedSlots } }, unchanged(current));
    if (await table.commit([write]).then(() => true, ifRefused(false))) return true;
    current = await table.get(batchEntity, batch, { consistent: true });
  }
  return true;
}

const unchanged = ({ slotShare, claimedSlots }: SharedBatch): WriteCondition => ({
  expression: `#slotShare = :share AND ${claimedSlots ? '#claimedSlots = :before' : 'attribute_not_exists(#claimedSlots)'}`,
  values: { share: slotShare, ...(claimedSlots && { before: claimedSlots }) },
});

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
  if (batch && placeOf(batch, key.slot) === 'none') return true;
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
    const place = batch ? placeOf(batch, slot) : 'has';
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

/**
 * Runs a record if its slot may run, and gives the place of a slot up that has no more records.
 * @param shrink Called when the batch has fewer slots with records than it may use.
 */
export async function runInShare(
  scope: Scope,
  { batch, message }: Pick<RecordJob, 'batch' | 'message'>,
  { run, shrink }: { run: () => Promise<Ran>; shrink: (id: string, slots: number) => Promise<void> },
): Promise<Ran | 'held'> {
  if (batch?.slotShare === undefined) return run();
  const { polls, restarts, slot } = message;
  // What has waited runs beyond the share.
  const mayRun = polls !== undefined || restarts !== undefined || (await claimSlot(scope, batch, slot));
  if (!mayRun) return 'held';
  const ran = await run();
  if (!message.isLast) return ran;
  const pass = async () => {
    const slots = await passSlotOn(scope, message);
    if (slots !== undefined) await shrink(batch.id, slots);
  };
  return { stored: ran.stored.then(() => pass().catch(logPassed)) };
}

const logPassed = (error: unknown) =>
  log.warn('The place of a slot could not be given up; a sweep will', { error });

/**
 * Gives the place of a slot that has no more records to one that is held.
 * @returns how many slots may have records, if the share has room for more.
 */
async function passSlotOn(scope: Scope, { batchId, slot }: SlotKey): Promise<number | undefined> {
  const { table } = scope;
  for (let tries = 0; tries < claimsMax; tries++) {
    const batch = await table.get(batchEntity, { id: batchId }, { consistent: true });
    if (!batch?.claimedSlots?.includes(slot)) return;
    const { slotShare = 0, recordConcurrency, totalRecords } = batch;
    const endedSlots = [...(batch.endedSlots ?? []), slot];
    const claimedSlots = batch.claimedSlots.filter((each) => each !== slot);
    const changes = { set: { claimedSlots, endedSlots } };
    try {
      await table.commit([table.writes.update(batchEntity, batch, changes, unchanged(batch))]);
      await releaseSlots(scope, batchId);
      const left = Math.min(recordConcurrency, totalRecords) - endedSlots.length;
      return left < slotShare ? Math.max(1, left) : undefined;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}
