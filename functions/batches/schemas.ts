import * as z from 'zod';
import { idOf } from '../../shared/core/ids.ts';
import { runLabelOptions } from '../../shared/domain/runs/run-labels.ts';
import { type BatchOptions, batchDefaults } from '../../shared/execution/batches/batch-start.ts';
import { tenantBatchesMax, tenantSlots } from '../../shared/execution/batches/running-batches.ts';

/** Part of the description of every endpoint that starts a batch. */
export const unfinishedBatches = `A tenant's batches run up to ${tenantSlots} records at a time together. 429 while ${tenantBatchesMax} of them are unfinished.`;

export const StartedOnRecords = z.object({ batchId: z.string(), recordCount: z.int() });

/** Options of every start on records. */
export const RecordRunOptions = z.strictObject({
  recordConcurrency: z.int().min(1).max(50).default(batchDefaults.recordConcurrency).meta({
    description: 'How many records run concurrently',
  }),
  maxRetries: z.int().min(0).max(5).default(batchDefaults.maxRetries).meta({
    description: 'How often a failed record is retried, from its failed step on',
  }),
  reuse: z.enum(['never', 'unchanged']).default('never').meta({
    description:
      'With `unchanged`, a step that costs or acts does not run if the flow has a completed result of it for the record whose request was the same: the model with its settings and the rendered messages, or the rendered call. Its result is taken over at no cost',
  }),
  reuseMaxAgeDays: z.int().min(1).max(3_650).optional().meta({
    description: 'How old a result may be that is taken over',
  }),
  ...runLabelOptions,
});

/** @returns the options of the batch, and the labels of its run. */
export function batchOptionsOf({
  recordConcurrency,
  maxRetries,
  reuse,
  reuseMaxAgeDays: maxAgeDays,
  ...labels
}: z.output<typeof RecordRunOptions>) {
  const options: BatchOptions = {
    recordConcurrency,
    maxRetries,
    ...(reuse === 'unchanged' && { reuse: maxAgeDays === undefined ? {} : { maxAgeDays } }),
  };
  return { options, labels };
}

export const BatchParams = z.object({ id: idOf('batch') });
