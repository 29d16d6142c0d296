import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import {
  ImportError,
  type ImportItem,
  importFormats,
  importStatuses,
} from '../../shared/domain/imports/import.ts';

export const ImportParams = z.object({ id: resourceId('import') });

export const ImportResponse = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(importStatuses),
    format: z.enum(importFormats).nullable().meta({ description: 'Null until the file was looked at' }),
    mode: z.enum(['create', 'upsert']),
    rows: z.object({
      read: z.int(),
      created: z.int(),
      updated: z.int(),
      unchanged: z.int(),
      failed: z.int(),
    }),
    bytes: z.object({
      read: z.int(),
      total: z.int().nullable().meta({ description: 'Null for a file at a URL, and before the start' }),
    }),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().nullable(),
    completedAt: z.iso.datetime().nullable(),
    error: ImportError.nullable().meta({ description: 'Why it failed, and at which row' }),
    problemsUrl: z.string().nullable().meta({
      description:
        'A CSV file of the rows that were skipped, to be mended and sent again; for an hour, renewed by each request. Null until the end, and without such rows',
    }),
    secondsLeft: z.int().nullable().meta({ description: 'An estimate; null unless the import is running' }),
  })
  .meta({ id: 'Import' });

/** With where its file is sent. */
export const AwaitingImport = ImportResponse.extend({
  upload: z
    .object({
      url: z.string(),
      method: z.literal('PUT'),
      headers: z.record(z.string(), z.string()),
      expiresAt: z.iso.datetime(),
      parts: z
        .array(
          z.object({
            partNumber: z.int(),
            bytes: z.int().meta({ description: 'All but the last have the same size' }),
            url: z.string(),
            isUploaded: z.boolean(),
          }),
        )
        .nullable()
        .meta({
          description:
            'Of a file whose `bytes` are more than 100 MB: each part can be sent by PUT to its own `url` within a day of the creation, in any order and again, instead of the whole to `upload.url`. The start puts them together',
        }),
    })
    .nullable()
    .meta({ description: 'Null for a file at a URL, and after the start' }),
});

/** @param problemsUrl Signed by the caller. */
export function toImportResponse(item: ImportItem, now: Date, problemsUrl: string | null) {
  const { id, name, status, format = null, settings, rowsRead, created, updated, unchanged, failed } = item;
  const total = item.file?.bytes ?? null;
  return {
    id,
    name,
    status,
    format,
    mode: settings.mode,
    // Rows that were displaced are subtracted before their chunk counts them.
    rows: { read: rowsRead, created: Math.max(0, created), updated, unchanged, failed },
    bytes: { read: Math.min(item.bytesRead, total ?? item.bytesRead), total },
    createdAt: item.createdAt,
    startedAt: item.startedAt ?? null,
    completedAt: item.completedAt ?? null,
    error: item.error ?? null,
    problemsUrl,
    secondsLeft: estimateSeconds(item, now),
  };
}

function estimateSeconds({ status, startedAt, rowsRead, cut, bytesRead, file }: ImportItem, now: Date) {
  if (status !== 'running' || startedAt === undefined || rowsRead === 0) return null;
  const [done, all] = cut.isDone ? [rowsRead, cut.rows] : [bytesRead, file?.bytes ?? 0];
  if (all === 0 || done === 0) return null;
  const seconds = (now.getTime() - Date.parse(startedAt)) / 1_000;
  return Math.ceil((seconds * Math.max(0, all - done)) / done);
}
