import * as z from 'zod';
import { timeMsFromId } from '../../../core/ids.ts';
import type { Checkpoint } from './checkpoint.ts';

const Status = z.enum(['completed', 'failed', 'skipped']);
/** The columns for filters and sorting, one row per result: step id, status, start (Unix ms), duration (ms). */
export type ResultRow = [
  stepId: string,
  status: z.infer<typeof Status>,
  startedAt: number,
  durationMs: number,
];

/** As stored: the first letter of the status, and the start in ms after that of the run. */
const ShortRow = z.tuple([z.string(), z.enum(['c', 'f', 's']), z.int(), z.int()]);
/** As stored before 2026-11-26. */
const LongRow = z.tuple([z.string(), Status, z.int(), z.int()]);
const Rows = z.array(z.union([ShortRow, LongRow]));

const statuses = { c: 'completed', f: 'failed', s: 'skipped' } as const;

/** Rows are stored as JSON text: a page skips over thousands, and nested DynamoDB lists are slow to decode. */
export const formatRows = (runId: string, rows: readonly ResultRow[]) =>
  JSON.stringify(
    rows.map(([stepId, status, startedAt, durationMs]) => [
      stepId,
      status[0],
      startedAt - timeMsFromId(runId),
      durationMs,
    ]),
  );

export const parseRows = ({ runId, rows }: Pick<Checkpoint, 'runId' | 'rows'>): ResultRow[] =>
  Rows.parse(JSON.parse(rows)).map(([stepId, status, at, durationMs]) =>
    status === 'c' || status === 'f' || status === 's'
      ? [stepId, statuses[status], timeMsFromId(runId) + at, durationMs]
      : [stepId, status, at, durationMs],
  );
