import * as z from 'zod';

/** Asks a worker to run a batch's flow on one record. */
export const RunMessage = z.object({
  tenant: z.string(),
  batchId: z.string(),
  flowId: z.string(),
  /** Null where the run has no record that is stored. */
  recordId: z.string().nullable(),
  /** The execution of this record in this batch: the same however often it is planned. */
  runId: z.string(),
  slot: z.int(),
  /** How often the run was suspended and woken. */
  wake: z.int().optional(),
  /** How often it was taken back from the dead-letter queue. */
  restarts: z.int().optional(),
  /** Which sending of its batch's messages it comes from, where they were sent again. */
  sending: z.int().optional(),
});
export type RunMessage = z.infer<typeof RunMessage>;

/** The messages of a slot are one message group, which SQS hands out one after another. */
export const fifoGroupOf = ({ batchId, slot }: Pick<RunMessage, 'batchId' | 'slot'>) => `${batchId}.${slot}`;
