/**
 * An import: a file of any size that becomes records. What callers state of it, and what is stored of it and of its chunks.
 *
 * Its item has the settings, what the reading has cut so far (`cut`), and counters, to which each chunk adds once, in the
 * transaction that marks the chunk as done. The index `JOB` of the sweep has it from the start to the end.
 * The ids of its records follow from it and the rows (`records/imported-id.ts`).
 */

import * as z from 'zod';
import { nameUpTo } from '../../core/name.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { RecordType } from '../records/record.ts';

export const importFormats = ['csv', 'jsonl', 'parquet'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** Of S3, for one request. */
export const fileBytesMax = 5 * 1024 ** 3;
export const rowsMax = 10_000_000;
/** Of a record's metadata, and of a row as it is read. */
export const columnsMax = 5_000;

const ColumnName = z.string().min(1).max(1_000);

const ColumnSettings = z.strictObject({
  to: z.string().min(1).max(1_000).nullable().optional().meta({
    description:
      'Where the value goes in the metadata; dots nest. `null` leaves the column out. Default: the name of the column',
  }),
  as: z.enum(['auto', 'text', 'number', 'boolean', 'json', 'date']).default('auto').meta({
    description:
      'What cells are read as. `auto`: a type of JSON that all cells of the first 1,000 rows have, else text',
  }),
});

const settings = {
  name: nameUpTo(255).optional(),
  format: z
    .enum(importFormats)
    .optional()
    .meta({ description: 'Default: by the name and the content of the file' }),
  source: z.union(
    [
      z.strictObject({
        upload: z.strictObject({
          fileName: z.string().min(1).max(500),
          bytes: z.int().min(0).max(fileBytesMax).optional(),
        }),
      }),
      z.strictObject({ url: z.url({ protocol: /^https?$/ }).max(4_000) }),
    ],
    { error: 'Send either `upload` or `url`' },
  ),
  type: RecordType.optional().meta({ description: 'The type of all records. Either this or `typeColumn`' }),
  typeColumn: ColumnName.optional(),
  nameColumn: ColumnName.optional().meta({ description: 'Default: `name`' }),
  mode: z.enum(['create', 'upsert']).default('create'),
  key: z.array(ColumnName).min(1).max(10).optional().meta({
    description:
      'For `upsert`: the columns that find the record of a row, within its type. Default: the name',
  }),
  columns: z.record(ColumnName, ColumnSettings).default({}),
  emptyAs: z
    .enum(['missing', 'null', 'text'])
    .default('missing')
    .meta({ description: 'What a blank cell of CSV is' }),
  onError: z.enum(['skip', 'stop']).default('skip'),
  csv: z
    .strictObject({
      delimiter: z.string().length(1).optional(),
      encoding: z.string().max(100).optional(),
      header: z
        .boolean()
        .default(true)
        .meta({ description: '`false`: the columns are `column_1` and so on' }),
    })
    .optional(),
};

export const NewImport = z.strictObject(settings);
export type NewImport = z.output<typeof NewImport>;

const { name: _name, source: _source, ...changeable } = settings;
/** What can be decided when the file is there. */
export const StartSettings = z.strictObject(changeable);
export type StartSettings = z.output<typeof StartSettings>;
/** What the reading and the rows depend on. */
export type ImportSettings = NewImport;

export const importStatuses = [
  'awaiting-upload',
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
] as const;
export type ImportStatus = (typeof importStatuses)[number];
/** Those of an import that goes on. */
export const isUnderWay = (status: ImportStatus) => status === 'queued' || status === 'running';

export const ImportError = z.object({ code: z.string(), message: z.string() });
export type ImportError = z.infer<typeof ImportError>;

/** Where the reading is. */
const Cut = z.object({
  /** How many chunks are written. */
  chunks: z.int(),
  rows: z.int(),
  /** In decoded bytes for texts, in rows for Parquet. */
  position: z.int(),
  isDone: z.boolean(),
  /** Why the file could not be read to its end. */
  error: ImportError.optional(),
  /** The last record whose key was noted, while those of earlier records are noted. */
  keyedTo: z.string().optional(),
});
export type Cut = z.infer<typeof Cut>;

const PinnedFileSchema = z.object({ key: z.string(), bytes: z.int(), versionId: z.string().optional() });

export const ImportItem = z.object({
  id: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  status: z.enum(importStatuses),
  name: z.string(),
  settings: NewImport,
  /** Known once the file was looked at. */
  format: z.enum(importFormats).optional(),
  file: PinnedFileSchema.optional(),
  /** Of S3, if the file can be sent in parts. */
  uploadId: z.string().optional(),
  cut: Cut,
  /** How many chunks are stored. */
  chunksDone: z.int(),
  rowsRead: z.int(),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  failed: z.int(),
  bytesRead: z.int(),
  startedAt: z.string().optional(),
  completedAt: z.string().optional(),
  error: ImportError.optional(),
  hasProblemsFile: z.boolean().optional(),
  createdAt: z.string(),
});
export type ImportItem = z.infer<typeof ImportItem>;

export const importsRange = { index: 1, partition: tenantPartition('IMPORTS') } as const;

/** Updates set the keys of the sweep, from the start to the end. */
export const importEntity = defineEntity({
  type: 'import',
  noun: 'import',
  schema: ImportItem.extend({ settings: jsonText<NewImport>() }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`IMPORT#${id}`), SK: 'IMPORT' }),
  index: ({ id }) => ({ PK1: importsRange.partition, SK1: id }),
});

/** What has become of a chunk: written with its last row, or, where rows are stored in their order, with each of its groups. */
export const chunkEntity = defineEntity({
  type: 'importChunk',
  schema: z.object({
    chunk: z.int(),
    /** The last row that is stored. */
    row: z.int(),
    isDone: z.boolean(),
    ttl: z.int(),
  }),
  key: ({ importId, chunk }: { importId: string; chunk: number }) => ({
    PK: tenantPartition(`IMPORT#${importId}`),
    SK: `CHUNK#${String(chunk).padStart(6, '0')}`,
  }),
});

/** A row that was a record until an earlier row of the same name took it over. */
export const displacedRowEntity = defineEntity({
  type: 'importDisplacedRow',
  schema: z.object({ ttl: z.int() }),
  key: ({ importId, row }: { importId: string; row: number }) => ({
    PK: tenantPartition(`IMPORT#${importId}`),
    SK: `DISPLACED#${String(row).padStart(8, '0')}`,
  }),
});

const countNames = ['created', 'updated', 'unchanged', 'failed'] as const;
export type Counts = Record<(typeof countNames)[number], number>;
export const noCounts = (): Counts => ({ created: 0, updated: 0, unchanged: 0, failed: 0 });

/** A record that an upsert can find by its key, which is not its name. */
export const importKeyEntity = defineEntity({
  type: 'importKey',
  schema: z.object({ id: z.string(), ttl: z.int() }),
  key: ({ importId, hash, id }: { importId: string; hash: string; id: string }) => ({
    PK: importKeyPartition(importId, hash),
    SK: id,
  }),
});
export const importKeyPartition = (importId: string, hash: string) =>
  tenantPartition(`IMPORTKEY#${importId}#${hash}`);

/** Everything beside the import itself is kept as long as its files. */
export const keptSeconds = 7 * 86_400;
