import { ConditionFailed } from '../data/condition-failed.ts';
import { conflict, notFound } from '../http/errors.ts';
import type { Scope } from '../runtime.ts';
import { type Batch, batchEntity, type Progress, progressOf, slotEntity } from './batch.ts';

export type BatchStore = ReturnType<typeof batchStore>;

/** The slot, and so the message group, that the n-th record of a batch runs in. */
export const slotOf = (batch: Pick<Batch, 'recordConcurrency'>, n: number) => n % batch.recordConcurrency;

export const batchStore = ({ table, now }: Scope) => {
  const slotsOf = ({ id, recordConcurrency }: Batch) =>
    Array.from({ length: recordConcurrency }, (_, slot) =>
      slotEntity.key(table.tenant, { batchId: id, slot }),
    );

  async function get(id: string): Promise<Batch> {
    const batch = await table.get(batchEntity, { id }, { consistent: true });
    if (!batch) throw notFound('Batch');
    return batch;
  }

  async function progress(batch: Batch): Promise<Progress> {
    const slots = await table.getMany(slotsOf(batch), { consistent: true });
    return progressOf(
      batch,
      slots.map((slot) => slotEntity.schema.parse(slot ?? {})),
    );
  }

  return {
    get,
    progress,

    create: (batch: Batch) => table.commit([table.writes.insert(batchEntity, batch)]),

    /** Every record has its message now. */
    finishPlanning: (id: string, totalRecords: number) =>
      table.commit([table.writes.update(batchEntity, { id }, { set: { planned: true, totalRecords } })]),

    /** Ends a batch from outside. What runs at this moment still finishes; nothing more begins. */
    async stop(id: string, stopped: 'cancelled' | 'failed', error: string | null = null): Promise<void> {
      const batch = await get(id);
      const { status } = await progress(batch);
      if (status !== 'scheduled' && status !== 'running') throw conflict(`The batch is already ${status}`);
      const set = { stopped, stoppedAt: now().toISOString(), error };
      const open = { expression: 'attribute_type(#stopped, :null)', values: { null: 'NULL' } };
      try {
        await table.commit([table.writes.update(batchEntity, { id }, { set }, open)]);
      } catch (failure) {
        throw failure instanceof ConditionFailed ? conflict('The batch is already over') : failure;
      }
    },
  };
};
