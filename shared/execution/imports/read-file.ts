/**
 * Reads the file of an import and cuts its rows into chunks, each of which a worker stores by itself.
 *
 * At first, the form of the file and the plan of its columns are decided and stored; an upsert by another key than the name
 * notes the keys of all records that it may find. Then each chunk is written as a file, noted in the import with the place where
 * the reading goes on (on the condition that nobody else has noted one), and sent if its turn has come. So a reading that is
 * killed, or out of time, goes on after the last chunk that was noted, and cuts the rest in the same way.
 *
 * Chunks go in lanes: a chunk is sent when the one before it in its lane is stored, so that an import has a bounded number of
 * messages. With one lane, rows are stored in the order of the file. A file that breaks off ends the reading, not the chunks
 * before: the import fails once these are stored.
 */

import { requireEnv } from '../../core/environment.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { log } from '../../core/log.ts';
import { ImportFailure } from '../../domain/imports/columns.ts';
import {
  type Cut,
  chunkEntity,
  type ImportItem,
  type ImportSettings,
  importEntity,
  isUnderWay,
  rowsMax,
} from '../../domain/imports/import.ts';
import { readRows } from '../../domain/imports/reading/open-file.ts';
import { jobQueue, toJobSweep } from '../../domain/jobs/job-queue.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { endIfDone } from './end-import.ts';
import { chunkFiles, type ImportPlan, planFileRows, sourceOpener } from './import-file.ts';
import { keyNotes } from './upsert-keys.ts';

const rowsPerChunk = 2_000;
const bytesPerChunk = 4_000_000;
/** Left for the chunk in progress, and for the message that hands over. */
const reserveMs = 60_000;

/** Rows must be stored in their order. */
export const isOrdered = ({ mode, onError }: ImportSettings) => mode === 'upsert' || onError === 'stop';

/** Of a tenant's places, one is left for the reading. */
export const countLanes = (settings: ImportSettings): number =>
  isOrdered(settings) ? 1 : Math.max(1, Number(requireEnv('JOBS_TENANT_PLACES')) - 1);

/** The import goes on elsewhere, or was cancelled. */
class Superseded extends Error {}

export const fileReader = /* @__PURE__ */ using(
  ['table:write', 'places:jobs', jobQueue, chunkFiles, sourceOpener, endIfDone, keyNotes],
  (scope: Scope) => {
    const { table, now } = scope;
    const files = chunkFiles(scope);

    async function sendIfDue(item: ImportItem, chunk: number): Promise<void> {
      const lanes = countLanes(item.settings);
      const before = { importId: item.id, chunk: chunk - lanes };
      const isDue =
        chunk < lanes || (await table.get(chunkEntity, before, { consistent: true }))?.isDone === true;
      if (isDue) await jobQueue(scope).send({ id: item.id, part: 'chunk', chunk });
    }

    /** @throws Superseded */
    async function noteCut(
      item: ImportItem,
      cut: Cut,
      more: Partial<Pick<ImportItem, 'format'>> = {},
    ): Promise<void> {
      const write = table.writes.update(
        importEntity,
        item,
        { set: { cut, status: 'running', ...more }, index: toJobSweep(item.id, now()) },
        {
          expression: '#status IN (:queued, :running) AND #cut.#chunks = :chunks AND #cut.#isDone = :open',
          values: { queued: 'queued', running: 'running', chunks: item.cut.chunks, open: false },
        },
      );
      await table.commit([write]).catch((error) => {
        throw error instanceof ConditionFailed ? new Superseded() : error;
      });
      item.cut = cut;
    }

    async function openPlan(item: ImportItem, file: Parameters<typeof planFileRows>[0]): Promise<ImportPlan> {
      if (item.status === 'running' && item.cut.chunks > 0) return files.readPlan(item.id);
      const plan = await planFileRows(file, item.settings);
      await files.writePlan(item.id, plan);
      await noteCut(item, item.cut, { format: plan.form.format });
      await keyNotes(scope)(item, plan.columns, (keyedTo) => noteCut(item, { ...item.cut, keyedTo }));
      return plan;
    }

    /** @returns whether the file is read to its end */
    async function cutRows(item: ImportItem, timeLeftMs: () => number): Promise<boolean> {
      let bytes = 0;
      const file = await sourceOpener(scope)(item.settings, item.file, (count) => {
        bytes += count;
      });
      const { form } = await openPlan(item, file);
      const { rows: rowsBefore } = item.cut;
      bytes = 0;
      let lines: string[] = [];
      let held = 0;
      let position = item.cut.position;
      const flush = async () => {
        const { chunks, rows } = item.cut;
        const chunk = chunks;
        await files.write(item.id, { chunk, firstRow: rows + 1, bytes, lines });
        await noteCut(item, { chunks: chunks + 1, rows: rows + lines.length, position, isDone: false });
        await sendIfDue(item, chunk);
        [lines, held, bytes] = [[], 0, 0];
      };
      try {
        for await (const batch of readRows(file, form, position)) {
          for (const [index, line] of batch.lines.entries()) {
            lines.push(line);
            held += line.length;
            position = batch.ends[index] as number;
            if (lines.length >= rowsPerChunk || held >= bytesPerChunk) await flush();
            if (item.cut.rows + lines.length > rowsMax)
              throw new ImportFailure('TOO_MANY_ROWS', `An import has at most ${rowsMax} rows`);
          }
          if (timeLeftMs() < reserveMs && item.cut.rows > rowsBefore) return false;
        }
      } catch (error) {
        if (error instanceof ImportFailure && lines.length > 0) await flush();
        throw error;
      }
      if (lines.length > 0) await flush();
      return true;
    }

    async function finishCut(item: ImportItem, failure?: ImportFailure): Promise<void> {
      const place = item.cut.rows > 0 ? ` (after row ${item.cut.rows})` : '';
      const error = failure && { code: failure.code, message: `${failure.message}${place}` };
      await noteCut(item, { ...item.cut, isDone: true, ...(error && { error }) });
    }

    return async (id: string, timeLeftMs: () => number): Promise<void> => {
      const item = await table.get(importEntity, { id }, { consistent: true });
      if (!item || !isUnderWay(item.status)) return;
      try {
        if (item.cut.chunks > 0) await sendIfDue(item, item.cut.chunks - 1);
        if (!item.cut.isDone) {
          const isRead = await cutRows(item, timeLeftMs).catch((error) => {
            if (error instanceof ImportFailure) return error;
            // A host that does not answer at first is probably a wrong one; later, the message is delivered again.
            if (error instanceof StepError && item.cut.chunks === 0)
              return new ImportFailure('URL_FAILED', error.message);
            throw error;
          });
          if (isRead === false) return await jobQueue(scope).send({ id, part: 'read' });
          await finishCut(item, isRead === true ? undefined : isRead);
        }
        await endIfDone(scope)(id);
      } catch (error) {
        if (!(error instanceof Superseded)) throw error;
        log.info('The reading of an import goes on elsewhere, or was cancelled', { importId: id });
      }
    };
  },
);
