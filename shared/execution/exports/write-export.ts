/**
 * Writes the file of an export: reads its rows into segments, then makes the file of them.
 *
 * One process has the lease, extends it while it works, and gives every write its condition. After each segment the place is
 * noted, so that a process that is killed, or out of time, is followed by one that goes on there. The second pass begins again
 * after a crash: it reads segments only, and a file that is not completed is none. Columns and their types are a file of their
 * own, written before the segment that needs them is noted. At the end the segments are removed.
 */

import { randomUUID } from 'node:crypto';
import { toChunks } from '../../core/chunks.ts';
import { startRenewal } from '../../core/concurrency/renewal.ts';
import { hasCode } from '../../core/errors/errors.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { log } from '../../core/log.ts';
import { ImportFailure } from '../../domain/imports/columns.ts';
import { columnsMax } from '../../domain/imports/import.ts';
import {
  type ExportItem,
  exportEntity,
  exportLease,
  exportLeaseMs,
  toFileName,
} from '../../domain/jobs/export.ts';
import { jobFileReader, jobFileRemover, jobFileWriter } from '../../domain/jobs/job-files.ts';
import { jobQueue, toJobSweep } from '../../domain/jobs/job-queue.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed, onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Changes, combineConditions } from '../../platform/data/writes.ts';
import {
  type ColumnTypes,
  encodeRows,
  flattenRow,
  mediaTypes,
  noteTypes,
  orderColumns,
  pickColumns,
} from './export-file.ts';
import { exportRows } from './export-rows.ts';

const segmentBytes = 4_000_000;
const segmentRows = 5_000;
/** Left for a segment, and for the second pass of a small export. */
const reserveMs = 60_000;

const columnsFile = 'columns.json';
const segmentFile = (segment: number) => `rows-${segment}`;

const isOpen = {
  expression: '#status IN (:queued, :running)',
  values: { queued: 'queued', running: 'running' },
};

export const exportWriter = /* @__PURE__ */ using(
  ['table:write', jobQueue, jobFileReader, jobFileWriter, jobFileRemover, exportRows],
  (scope: Scope) => {
    const { table, now } = scope;
    const files = { ...jobFileReader(scope), ...jobFileWriter(scope) };

    /** @throws ConditionFailed if the export was cancelled, or the lease is lost */
    async function note(item: ExportItem, changes: Changes<typeof exportEntity>): Promise<void> {
      const condition = combineConditions(isOpen, exportLease.isHolder(item.holder ?? ''));
      await table.commit([table.writes.update(exportEntity, item, changes, condition)]);
    }

    async function readColumns(item: ExportItem): Promise<ColumnTypes> {
      return item.segments === 0
        ? {}
        : (parseExact(await files.readText(item.id, columnsFile)) as ColumnTypes);
    }

    /** @returns whether all rows are read */
    async function readAll(item: ExportItem, timeLeftMs: () => number): Promise<boolean> {
      const { columns, flatten } = item.settings;
      const types = await readColumns(item);
      let lines: string[] = [];
      let bytes = 0;
      const flush = async (cursor: string) => {
        if (!columns && Object.keys(types).length > columnsMax)
          throw new ImportFailure(
            'TOO_MANY_COLUMNS',
            `The rows have more than ${columnsMax} columns; name those that you need`,
          );
        await files.write(item.id, segmentFile(item.segments), lines.join('\n'), 'text/plain');
        await files.write(item.id, columnsFile, JSON.stringify(types));
        item.segments++;
        item.rows += lines.length;
        item.cursor = cursor;
        const { segments, rows } = item;
        await note(item, {
          set: { segments, rows, cursor, status: 'running' },
          index: toJobSweep(item.id, now()),
        });
        [lines, bytes] = [[], 0];
      };
      let last = item.cursor ?? '';
      for await (const { rows, cursor } of exportRows(scope)(item)) {
        for (const row of rows) {
          const picked = columns ? pickColumns(row, columns) : flatten ? flattenRow(row) : row;
          noteTypes(types, picked);
          const line = JSON.stringify(picked);
          lines.push(line);
          bytes += line.length;
        }
        last = cursor;
        if (lines.length < segmentRows && bytes < segmentBytes) continue;
        await flush(cursor);
        if (timeLeftMs() < reserveMs) return false;
      }
      if (lines.length > 0) await flush(last);
      return true;
    }

    async function* readSegments({ id, segments }: ExportItem): AsyncGenerator<string> {
      for (let segment = 0; segment < segments; segment++)
        yield await files.readText(id, segmentFile(segment));
    }

    async function makeFile(item: ExportItem): Promise<void> {
      const { id, settings } = item;
      const found = await readColumns(item);
      const kindsOf = (column: string) => (Object.hasOwn(found, column) ? (found[column] as string) : 's');
      const columns = settings.columns
        ? settings.columns.map((column) => [column, kindsOf(column)] as const)
        : orderColumns(Object.keys(found).length > 0 ? found : emptyColumns);
      const name = toFileName(settings);
      const pieces = encodeRows(settings, readSegments(item), columns);
      const bytes = await files.writeStream(id, name, pieces, mediaTypes[settings.format]);
      await note(item, {
        set: {
          status: 'completed',
          isRead: true,
          total: item.rows,
          file: { pointer: files.toPointer(id, name), bytes },
          completedAt: now().toISOString(),
        },
        removeFromIndex: 2,
      });
      const segments = Array.from({ length: item.segments }, (_, segment) => segmentFile(segment));
      for (const names of toChunks([columnsFile, ...segments], 50)) await jobFileRemover(scope)(id, names);
    }

    async function fail(item: ExportItem, code: string, message: string): Promise<void> {
      const set = { status: 'failed' as const, error: { code, message }, completedAt: now().toISOString() };
      await note(item, { set, removeFromIndex: 2 });
    }

    async function work(item: ExportItem, timeLeftMs: () => number): Promise<void> {
      if (!item.isRead && !(await readAll(item, timeLeftMs))) {
        await note(item, { set: { heldUntil: 0 } });
        return jobQueue(scope).send({ id: item.id, part: 'write' });
      }
      await makeFile(item);
    }

    return async (id: string, timeLeftMs: () => number): Promise<void> => {
      const holder = randomUUID();
      const { set, condition } = exportLease.acquire(now(), holder);
      const write = table.writes.update(exportEntity, { id }, { set }, combineConditions(isOpen, condition));
      const item = await table.updateAndGet(exportEntity, write).catch(onConditionFailed(undefined));
      if (!item) return;
      const extend = async () => {
        const { condition: isOurs, ...changes } = exportLease.extend(now(), holder);
        await table.commit([table.writes.update(exportEntity, { id }, changes, isOurs)]);
      };
      const renewal = startRenewal(extend, {
        everyMs: exportLeaseMs / 3,
        failure: 'The lease of an export could not be extended',
        about: { id },
      });
      try {
        await work(item, timeLeftMs);
      } catch (error) {
        if (error instanceof ConditionFailed)
          return log.info('An export was cancelled, or goes on elsewhere', { id });
        if (error instanceof ImportFailure) return await fail(item, error.code, error.message);
        if (hasCode(error, 'NOT_FOUND')) return await fail(item, 'NOT_FOUND', error.message);
        await note(item, { set: { heldUntil: 0 } }).catch(() => {});
        throw error;
      } finally {
        renewal.stop();
      }
    };
  },
);

/** Of a file without rows: some readers need a column. */
const emptyColumns: ColumnTypes = { name: 's' };

/** For a message that failed again and again. */
export const exportFailer = /* @__PURE__ */ using(
  ['table:write'],
  ({ table, now }: Scope) =>
    async (id: string): Promise<void> => {
      const error = { code: 'INTERNAL', message: 'The export could not go on because of an internal error' };
      const set = { status: 'failed' as const, error, completedAt: now().toISOString() };
      const write = table.writes.update(exportEntity, { id }, { set, removeFromIndex: 2 }, isOpen);
      await table.commit([write]).catch(onConditionFailed(undefined));
    },
);
