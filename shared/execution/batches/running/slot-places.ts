import { log } from '../../../core/log.ts';
import { ifRefused } from '../../../platform/data/condition-failed.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { WriteCondition } from '../../../platform/data/writes.ts';
import { type Batch, batchEntity } from '../batch.ts';
import {
  releaseSlots,
  type SharedBatch,
  slotDivider,
  slotPlace,
  usablePlaces,
} from '../concurrency/slot-sharing.ts';
import type { Ran } from './group-commit.ts';
import type { RecordJob } from './record-jobs.ts';

/** Each refusal means that another process was quicker, of which there are 50 at most. */
const triesMax = 100;

interface Request {
  slot: number;
  /** Whether the slot wants a place, or gives its own to others. */
  kind: 'claim' | 'pass';
  resolve: (mayRun: boolean) => void;
}

/** The places that slots of batches take and give up in the share of their batch. Those of an invocation write together. */
export function openSlotPlaces(scope: Scope) {
  const waiting = new Map<string, Request[]>();

  function ask(batchId: string, slot: number, kind: Request['kind']): Promise<boolean> {
    return new Promise((resolve) => {
      const requests = waiting.get(batchId);
      if (requests) return void requests.push({ slot, kind, resolve });
      waiting.set(batchId, [{ slot, kind, resolve }]);
      setImmediate(() => void answerAll(batchId));
    });
  }

  async function answerAll(batchId: string): Promise<void> {
    for (let requests = waiting.get(batchId); requests?.length; requests = waiting.get(batchId)) {
      waiting.set(batchId, []);
      const answers = await settle(scope, batchId, requests).catch((error) => {
        log.warn('The slots of a batch could not take or give up their places', { error, batchId });
        return requests.map(() => true);
      });
      for (const [index, { resolve }] of requests.entries()) resolve(answers[index] ?? true);
    }
    waiting.delete(batchId);
  }

  return {
    /** Runs a record if its slot may run, and gives the place of a slot up that has no more records. */
    async run({ batch, message }: Pick<RecordJob, 'batch' | 'message'>, run: () => Promise<Ran>) {
      if (batch?.slotShare === undefined) return run();
      const { polls, restarts, slot, isLast } = message;
      // What has waited runs beyond the share.
      const isFree = polls !== undefined || restarts !== undefined;
      const place = isFree ? 'has' : slotPlace(batch, slot);
      const mayRun = place === 'may' ? await ask(batch.id, slot, 'claim') : place === 'has';
      if (!mayRun) return 'held' as const;
      const ran = await run();
      if (!isLast) return ran;
      return { stored: ran.stored.then(() => ask(batch.id, slot, 'pass')).then(() => {}) };
    },
  };
}

/** @returns for each request whether its slot may run. */
async function settle(scope: Scope, batchId: string, requests: readonly Request[]): Promise<boolean[]> {
  const { table } = scope;
  for (let tries = 0; tries < triesMax; tries++) {
    const batch = await table.get(batchEntity, { id: batchId }, { consistent: true });
    if (batch?.slotShare === undefined) break;
    const { claimedSlots, endedSlots, answers } = placesAfter(batch, requests);
    const hasPassed = (batch.claimedSlots ?? []).some((slot) => !claimedSlots.includes(slot));
    if (hasPassed || claimedSlots.length !== (batch.claimedSlots?.length ?? 0)) {
      const write = table.writes.update(
        batchEntity,
        batch,
        { set: { claimedSlots, endedSlots } },
        isSame(batch),
      );
      if (!(await table.commit([write]).then(() => true, ifRefused(false)))) continue;
    }
    if (hasPassed) await passOn(scope, { ...batch, claimedSlots, endedSlots });
    return answers;
  }
  return requests.map(() => true);
}

function placesAfter(batch: SharedBatch, requests: readonly Request[]) {
  const { claimedSlots = [], endedSlots = [] } = batch;
  const passing = requests.filter(({ kind, slot }) => kind === 'pass' && claimedSlots.includes(slot));
  const ended = new Set(passing.map(({ slot }) => slot));
  const after = {
    ...batch,
    claimedSlots: claimedSlots.filter((slot) => !ended.has(slot)),
    endedSlots: [...new Set([...endedSlots, ...ended])],
  };
  const answers = requests.map(({ kind, slot }) => {
    if (kind === 'pass') return true;
    const place = slotPlace(after, slot);
    if (place === 'may') {
      after.claimedSlots.push(slot);
      after.endedSlots = after.endedSlots.filter((each) => each !== slot);
    }
    return place !== 'none';
  });
  return { claimedSlots: after.claimedSlots, endedSlots: after.endedSlots, answers };
}

const isSame = ({ slotShare, claimedSlots }: SharedBatch): WriteCondition => ({
  expression: `#slotShare = :share AND ${claimedSlots ? '#claimedSlots = :before' : 'attribute_not_exists(#claimedSlots)'}`,
  values: { share: slotShare, ...(claimedSlots && { before: claimedSlots }) },
});

/** To slots that are held, and what they cannot use to other batches. */
async function passOn(scope: Scope, batch: Batch): Promise<void> {
  const { id, slotShare = 0 } = batch;
  await releaseSlots(scope, id);
  const usable = usablePlaces(batch);
  if (usable < slotShare) await slotDivider(scope).shrink(id, usable);
}
