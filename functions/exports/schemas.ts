import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import {
  type ExportItem,
  exportFormats,
  exportStatuses,
  exportSubjects,
} from '../../shared/domain/jobs/export.ts';

export const ExportParams = z.object({ id: resourceId('export') });

/** What is exported decides which of them a caller needs. */
export const readsSomething = ['RECORDS:READ', 'FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ'] as const;

export const ExportResponse = z
  .object({
    id: z.string(),
    what: z.enum(exportSubjects),
    format: z.enum(exportFormats),
    status: z.enum(exportStatuses),
    progress: z.object({
      rows: z.int(),
      total: z.int().nullable().meta({ description: 'Null while it is not known' }),
    }),
    url: z.string().nullable().meta({ description: 'The file, for an hour; renewed by each request' }),
    bytes: z.int().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    createdAt: z.iso.datetime(),
    completedAt: z.iso.datetime().nullable(),
    expiresAt: z.iso.datetime().meta({ description: 'Seven days after the request' }),
  })
  .meta({ id: 'Export' });

/** Before its end there is no file. */
export const OpenExport = ExportResponse.omit({ url: true }).meta({ id: 'OpenExport' });

/** @param url Signed by the caller. */
export const toExportResponse = (item: ExportItem, url: string | null) => ({
  id: item.id,
  what: item.settings.what,
  format: item.settings.format,
  status: item.status,
  progress: { rows: item.rows, total: item.total },
  url,
  bytes: item.file?.bytes ?? null,
  error: item.error ?? null,
  createdAt: item.createdAt,
  completedAt: item.completedAt ?? null,
  expiresAt: new Date(item.ttl * 1_000).toISOString(),
});
