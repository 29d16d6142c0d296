import { conflict, invalidAt, missingPermission } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { covers, type Permission } from '../../platform/identity/permissions.ts';
import type { Owner } from '../records/record.ts';
import type { RunKind } from '../runs/run.ts';
import { type ExportItem, exportEntity, exportsRange, type NewExport, toFileName } from './export.ts';
import { jobFileDays, jobFileReader } from './job-files.ts';
import { jobQueue, toJobSweep } from './job-queue.ts';

/**
 * Exports as callers have them: created, which starts them, followed, and cancelled.
 *
 * What a caller may export depends on what it holds: records, or what runs of some kinds say. The kinds are noted when the
 * export is created, and whoever looks at it later needs the same permissions. The message that has it written is sent after the
 * item; the sweep sends it again if that is lost.
 */

const needed: Partial<Record<NewExport['what'], readonly Permission[]>> = {
  records: ['RECORDS:READ'],
  batch: ['FLOWS:READ', 'RECORDS:READ'],
  results: ['FLOWS:READ', 'RECORDS:READ'],
};

/** @param kinds The kinds of runs that the caller may read. @throws 403 */
export function assertMayExport(
  { what }: Pick<NewExport, 'what'>,
  permissions: readonly string[],
  kinds: readonly RunKind[],
): void {
  const missing = needed[what]?.find((permission) => !covers(permissions, permission));
  if (missing) throw missingPermission(missing);
  if (!needed[what] && kinds.length === 0)
    throw missingPermission(['FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ']);
}

/** Whether the caller could create such an export. */
export const mayExport = (
  { what }: Pick<NewExport, 'what'>,
  permissions: readonly string[],
  kinds: readonly RunKind[],
): boolean => needed[what]?.every((permission) => covers(permissions, permission)) ?? kinds.length > 0;

/** @throws 400 */
function assertSettings({ what, filter, format, compress, columns = [] }: NewExport): void {
  if (compress && format === 'parquet')
    throw invalidAt('compress', 'INVALID_VALUE', 'Parquet is compressed by itself; omit compress');
  const again = columns.findIndex((column, index) => columns.indexOf(column) < index);
  if (again !== -1)
    throw invalidAt(
      `columns.${again}`,
      'DUPLICATE_KEY',
      `The column "${columns[again]}" occurs twice. Name each column once`,
    );
  if (what === 'batch' && !filter.batchId)
    throw invalidAt('filter.batchId', 'MISSING_REQUIRED_FIELD', 'Required: the batch');
  if (what === 'results' && !filter.flowId)
    throw invalidAt('filter.flowId', 'MISSING_REQUIRED_FIELD', 'Required: the flow');
  const allowed: Record<NewExport['what'], readonly string[]> = {
    records: ['recordType', 'recordFilter', 'importId', 'from', 'to'],
    batch: ['batchId', 'status'],
    results: ['flowId', 'batchId', 'status', 'from', 'to'],
    runs: ['flowId', 'agentId', 'status', 'from', 'to'],
    feedback: ['flowId', 'agentId', 'from', 'to'],
  };
  const other = Object.keys(filter).find((name) => !allowed[what].includes(name));
  if (other)
    throw invalidAt(
      `filter.${other}`,
      'INVALID_VALUE',
      `An export of ${what} takes ${allowed[what].join(', ')}`,
    );
}

export const exportCreator = /* @__PURE__ */ using(['table:write', jobQueue], (scope: Scope) => {
  const { table, now } = scope;

  /** @param total How many rows there will be, if that is known. @throws 400 */
  return async (
    { userId, organizationId }: Owner,
    settings: NewExport,
    { kinds, total }: { kinds: RunKind[]; total: number | null },
  ): Promise<ExportItem> => {
    assertSettings(settings);
    const id = scope.newId('export');
    const at = getIdCreatedAt(id);
    const item: ExportItem = {
      id,
      userId,
      organizationId,
      status: 'queued',
      settings,
      kinds,
      rows: 0,
      total,
      segments: 0,
      isRead: false,
      startedAt: at,
      createdAt: at,
      ttl: unixSeconds(now()) + jobFileDays * 86_400,
    };
    const stored = { ...item, settings: JSON.stringify(settings) };
    await table.commit([table.writes.insert(exportEntity, stored)]);
    const sweep = table.writes.update(exportEntity, { id }, { index: toJobSweep(id, now()) });
    await table.commit([sweep]);
    await jobQueue(scope).send({ id, part: 'write' });
    return item;
  };
});

export const exportReader = /* @__PURE__ */ using(['table:read', jobFileReader], (scope: Scope) => {
  const { table } = scope;
  return {
    /** @throws 404 */
    find: (id: string): Promise<ExportItem> => table.find(exportEntity, { id }, { consistent: true }),

    /** Newest first. */
    async list(query: CursorQuery) {
      const { rows, pagination } = await cursorPage(table, { ...exportsRange, kind: 'export' }, query);
      const keys = rows.map(({ id }) => exportEntity.key({ id: id as string }));
      return { exports: decodeReadable(exportEntity, await table.getMany(keys)), pagination };
    },

    /** An address of the file, for an hour; null before it is there. */
    signUrl: async ({ id, status, settings }: ExportItem): Promise<string | null> =>
      status === 'completed'
        ? jobFileReader(scope).signDownload(
            id,
            toFileName(settings),
            `${settings.what}-${toFileName(settings)}`,
          )
        : null,
  };
});

export const exportCanceller = /* @__PURE__ */ using(['table:write', exportReader], (scope: Scope) => {
  const { table, now } = scope;

  /** @throws 404; 409 after the end */
  return async (id: string): Promise<ExportItem> => {
    const write = table.writes.update(
      exportEntity,
      { id },
      { set: { status: 'cancelled', completedAt: now().toISOString() }, removeFromIndex: 2 },
      { expression: '#status IN (:queued, :running)', values: { queued: 'queued', running: 'running' } },
    );
    await exportReader(scope).find(id);
    return table.updateAndGet(exportEntity, write).catch((error) => {
      throw error instanceof ConditionFailed ? conflict('The export has ended') : error;
    });
  };
});
