import * as z from 'zod';
import type { DetailCode } from '../../shared/core/errors/error-codes.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { RecordType } from '../../shared/domain/records/record.ts';
import { RecordSelection } from '../../shared/domain/records/record-filters.ts';
import { priorityOption } from '../../shared/domain/runs/priority.ts';
import { reuseOptions } from '../../shared/domain/runs/reuse-options.ts';
import { runLabelOptions } from '../../shared/domain/runs/run-origin.ts';
import { batchDefaults } from '../../shared/execution/batches/batch.ts';
import { tenantBatchesMax, tenantSlots } from '../../shared/execution/batches/slot-sharing.ts';
import { type BatchOptions, toBatchReuse } from '../../shared/execution/batches/start-batch.ts';
import { unique } from '../../shared/platform/http/validation.ts';

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
  ...priorityOption,
  ...reuseOptions,
  ...runLabelOptions,
});

/** Which records: by one of the three. */
export const recordSelectors = {
  recordType: RecordType.optional(),
  recordIds: z.array(resourceId('record')).min(1).max(1_000).check(unique).optional(),
  recordFilter: RecordSelection.optional(),
};

type Selectors = { [Name in keyof typeof recordSelectors]?: unknown };

/** For a body with `recordSelectors`. */
export function checkSelectors(body: Selectors, context: z.RefinementCtx): void {
  const selectors = Object.keys(recordSelectors).filter(
    (name) => body[name as keyof Selectors] !== undefined,
  );
  const refuse = (path: string, code: DetailCode, message: string) =>
    context.addIssue({ code: 'custom', path: [path], params: { code }, message });
  if (selectors.length === 0) {
    refuse('recordType', 'MISSING_REQUIRED_FIELD', 'Required: recordType, recordIds or recordFilter');
  }
  if (selectors.length > 1)
    refuse(selectors[1] ?? '', 'SEVERAL_TARGETS', `Send only one of ${selectors.join(', ')}`);
}

export const NamedVersion = z.union([z.enum(['published', 'draft']), resourceId('flowver')]).meta({
  description: 'The draft is that of the last save; without changes since the publication, what is published',
});

/** @returns the options of the batch, and the labels of its run. */
export function toBatchOptions({
  recordConcurrency,
  maxRetries,
  priority,
  reuse,
  reuseMaxAgeDays,
  ...labels
}: z.output<typeof RecordRunOptions>) {
  const options: BatchOptions = {
    recordConcurrency,
    maxRetries,
    ...(priority && { priority }),
    ...toBatchReuse({ reuse, reuseMaxAgeDays }),
  };
  return { options, labels };
}

export const BatchParams = z.object({ id: resourceId('batch') });
