import * as z from 'zod';
import { resourceId } from '../../core/ids.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { leaseOn } from '../../platform/data/lease.ts';
import { RecordType } from '../records/record.ts';
import { RecordSelection } from '../records/record-filters.ts';
import { runKinds } from '../runs/run.ts';

/**
 * An export: records, results or runs that become a file of any size. What callers state of it, and what is stored.
 *
 * It is written in two passes. The first reads the rows into segments and notes the place after each, so that it can go on
 * after a crash; the second makes the file of them, when all columns are known. One process at a time has the lease of an
 * export. Item and files expire after seven days.
 */

export const exportSubjects = ['records', 'results', 'batch', 'runs', 'feedback'] as const;
export const exportFormats = ['csv', 'jsonl', 'parquet'] as const;

const Moment = z.iso.datetime({ offset: true });

export const ExportFilter = z.strictObject({
  recordType: RecordType.optional(),
  recordFilter: RecordSelection.optional(),
  batchId: resourceId('batch').optional(),
  flowId: resourceId('flow').optional(),
  agentId: resourceId('agent').optional(),
  from: Moment.optional().meta({ description: 'Created, or started, at this time or later' }),
  to: Moment.optional(),
  status: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Of `runs`, several separated by commas' }),
  importId: resourceId('import').optional(),
});
export type ExportFilter = z.infer<typeof ExportFilter>;

export const NewExport = z.strictObject({
  what: z.enum(exportSubjects).meta({
    description:
      '`records`; `batch`: a row for each record of a batch with its metadata and the outputs of its steps; `results`: the same for all runs of a flow on records; `runs`; `feedback`',
  }),
  filter: ExportFilter.default({}),
  format: z.enum(exportFormats),
  compress: z
    .literal('gzip')
    .optional()
    .meta({ description: 'For CSV and JSON Lines: Parquet is compressed by itself' }),
  columns: z.array(z.string().min(1).max(1_000)).min(1).max(5_000).optional().meta({
    description: 'The columns of the file, in this order. Default: all that the rows have',
  }),
  flatten: z
    .boolean()
    .default(false)
    .meta({ description: 'Members of objects become columns of their own, `a.b`' }),
});
export type NewExport = z.output<typeof NewExport>;

export const exportStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

export const ExportItem = z.object({
  id: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  status: z.enum(exportStatuses),
  settings: NewExport,
  /** The kinds of runs that the caller could read. */
  kinds: z.array(z.enum(runKinds)),
  rows: z.int(),
  total: z.int().nullable(),
  segments: z.int(),
  /** After which the reading goes on. */
  cursor: z.string().optional(),
  isRead: z.boolean(),
  file: z.object({ pointer: z.string(), bytes: z.int() }).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  holder: z.string().optional(),
  /** Unix ms, like `heldSince`. */
  heldUntil: z.int().optional(),
  heldSince: z.int().optional(),
  startedAt: z.string(),
  completedAt: z.string().optional(),
  createdAt: z.string(),
  ttl: z.int(),
});
export type ExportItem = z.infer<typeof ExportItem>;

export const exportsRange = { index: 1, partition: tenantPartition('EXPORTFILES') } as const;

export const exportEntity = defineEntity({
  type: 'export',
  noun: 'export',
  schema: ExportItem.extend({ settings: jsonText<NewExport>() }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`EXPORT#${id}`), SK: 'EXPORT' }),
  index: ({ id }) => ({ PK1: exportsRange.partition, SK1: id }),
});

export const exportLeaseMs = 60_000;
export const exportLease = /* @__PURE__ */ leaseOn(exportEntity, {
  holder: 'holder',
  until: 'heldUntil',
  since: 'heldSince',
  format: 'ms',
  leaseMs: exportLeaseMs,
});

/** The name of the file among those of an export, and for those who load it. */
export const toFileName = ({ format, compress }: NewExport): string =>
  `export.${format}${compress ? '.gz' : ''}`;
