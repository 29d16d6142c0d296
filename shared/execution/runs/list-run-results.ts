/**
 * Lists the finished runs of a record, with their outputs as far as a response has room.
 * The index has one entry per checkpoint; sorted by creation, entries are read for all earlier pages and this one, and
 * counted up to `countedResultsMax`. Sorted otherwise, all are read (400 above `sortedMax`). Then the last checkpoints
 * of the page are read, and earlier ones only of runs whose last one has no output.
 */
import * as z from 'zod';
import { invalidAt } from '../../core/errors/errors.ts';
import { getIdTimeMs } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import {
  countedResultsMax,
  PagePagination,
  PageQuery,
  pagePagination,
} from '../../platform/data/lists/numbered-pages.ts';
import {
  countPayloadBytes,
  type PayloadReader,
  type PayloadRef,
  payloadReader,
} from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { countResponseBytes, responseBytesMax } from '../../platform/http/responses/body-sizes.ts';
import { type Checkpoint, checkpointEntity, parseRows } from './checkpoint.ts';
import { type CheckpointEntry, listFinalCheckpoints, skipDeletedResults } from './checkpoint-index.ts';
import { readCheckpoints } from './read-checkpoints.ts';
import { findStep, readStepIndex, type StepIndex } from './replay.ts';

type RunResult = z.input<typeof RunResultPage>['data'][number];

/** Sorting by anything but creation reads at most this many results. */
const sortedMax = 100_000;

/** Lists the finished runs of a record. Reads the checkpoints of all earlier pages and of its own. */
export const runResults = /* @__PURE__ */ using(['table:read', payloadReader], (scope: Scope) => {
  const { table } = scope;
  const payloads = payloadReader(scope);

  async function findMatching(recordId: string, query: RunResultQuery) {
    const { page, limit, includeCount, sortBy, sortOrder, from, to } = query;
    const isSorted = sortBy === 'createdAt';
    const wanted = isSorted ? page * limit + 1 : Number.POSITIVE_INFINITY;
    const counted = includeCount === 'true' ? countedResultsMax : 0;
    const newestFirst = !isSorted || sortOrder === 'desc';
    const atFirst = Math.min(Math.max(page * limit + 1, counted), countedResultsMax);
    const entries = listFinalCheckpoints(table, recordId, { newestFirst, from, to, atFirst });
    const found: CheckpointEntry[] = [];
    let scannedCount = 0;
    for await (const entry of skipDeletedResults(table, 'flow', entries)) {
      scannedCount++;
      if (matches(entry, query)) found.push(entry);
      if (found.length >= wanted && scannedCount >= counted) return { found, isMinimum: true };
      if (!isSorted && found.length >= sortedMax) throw createTooManyError();
    }
    return { found: isSorted ? found : sortByStatus(found, sortOrder), isMinimum: false };
  }

  /** The last checkpoints of these runs, without those that were just deleted or cannot be read. */
  async function readLastCheckpoints(entries: readonly CheckpointEntry[]): Promise<Checkpoint[]> {
    const keys = entries.map((entry) => checkpointEntity.key(entry));
    const items = await table.getMany(keys, { consistent: true });
    return decodeReadable(checkpointEntity, items);
  }

  /** The outputs of runs whose last checkpoint has none, by the run. */
  async function readEarlierOutputs(entries: readonly CheckpointEntry[]) {
    const wanted = entries.filter(({ index, rows }) => index > 0 && !rows.some(isCompleted));
    const readOutput = async (entry: CheckpointEntry) => findLastOutput(await readCheckpoints(scope, entry));
    return new Map(
      await Promise.all(wanted.map(async (entry) => [entry.runId, await readOutput(entry)] as const)),
    );
  }

  return async (recordId: string, query: RunResultQuery): Promise<z.input<typeof RunResultPage>> => {
    const { found, isMinimum } = await findMatching(recordId, query);
    const { page, limit } = query;
    const entries = found.slice((page - 1) * limit, page * limit);
    const prompted = entries.filter(({ finished }) => finished?.promptStepId);
    const [checkpoints, steps, earlier] = await Promise.all([
      readLastCheckpoints(entries),
      readStepIndex(scope, prompted),
      readEarlierOutputs(entries),
    ]);
    const outputs = checkpoints.map((last) => findLastOutput([last]) ?? earlier.get(last.runId));
    const results = await fetchFittingValues(payloads, outputs);
    const data = checkpoints.map((last, place) => ({ ...toRunResult(last, steps), ...results[place] }));
    return { data, pagination: pagePagination(query, { count: found.length, isMinimum }) };
  };
});

const isCompleted = ([, status]: CheckpointEntry['rows'][number]) => status === 'completed';

function toRunResult(last: Checkpoint, steps: StepIndex): RunResult {
  const { runId, recordId, flowId, flowName = null, finished } = last;
  const { status = 'completed', promptStepId: promptId = null } = finished ?? {};
  const promptName = (promptId && findStep(steps, last, promptId)?.name) || null;
  const createdAt = new Date(getIdTimeMs(runId)).toISOString();
  return { id: runId, recordId: recordId ?? '', flowId, flowName, promptId, promptName, status, createdAt };
}

const matches = ({ flowId, finished }: CheckpointEntry, query: RunResultQuery) =>
  (!query.flowId || flowId === query.flowId) &&
  (!query.status || finished?.status === query.status) &&
  (!query.promptId || finished?.promptStepId === query.promptId);

/** Newest first within a status. */
function sortByStatus(
  entries: readonly CheckpointEntry[],
  sortOrder: RunResultQuery['sortOrder'],
): CheckpointEntry[] {
  const sign = sortOrder === 'asc' ? 1 : -1;
  const getStatus = ({ finished }: CheckpointEntry) => finished?.status ?? '';
  return entries.toSorted((one, other) =>
    getStatus(one) === getStatus(other) ? 0 : getStatus(one) < getStatus(other) ? -sign : sign,
  );
}

/** The values, while the response has room; undefined in place of those that do not fit. */
async function fetchFittingValues(payloads: PayloadReader, outputs: readonly (PayloadRef | undefined)[]) {
  const room = openRoom();
  // The JSON size is a lower bound, known before the value is fetched.
  const maybe = outputs.map((payloadRef) => !payloadRef || room.takes(countPayloadBytes(payloadRef)));
  const values = await Promise.all(
    outputs.map((payloadRef, place) =>
      payloadRef && maybe[place] ? payloads.fetchReadable(payloadRef) : null,
    ),
  );
  const exact = openRoom();
  return values.map((result, place): { result?: unknown } =>
    maybe[place] && exact.takes(countResponseBytes(result)) ? { result } : {},
  );
}

function openRoom() {
  let left = responseBytesMax;
  return {
    takes(bytes: number): boolean {
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
  };
}

const createTooManyError = () =>
  invalidAt(
    'sortBy',
    'TOO_MANY_RESULTS',
    `Narrow the filters to fewer than ${sortedMax} results, or sort by createdAt`,
  );

export const RunOutcome = z
  .object({
    executionId: z.string(),
    recordId: z.string().nullable(),
    success: z.boolean(),
    output: z.unknown().meta({ description: 'The output of the last completed step' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'RunOutcome' });

export const runOutcomes = /* @__PURE__ */ using(
  ['table:read', payloadReader],
  (scope: Scope) =>
    async ({
      runId,
      recordId,
    }: Pick<Checkpoint, 'runId' | 'recordId'>): Promise<z.input<typeof RunOutcome>> => {
      const checkpoints = await readCheckpoints(scope, { runId, recordId });
      const end = checkpoints.at(-1)?.end;
      const output = findLastOutput(checkpoints);
      return {
        executionId: runId,
        recordId,
        success: end?.status === 'completed',
        output: output ? await payloadReader(scope).fetch(output) : null,
        error: end?.error ?? null,
      };
    },
);

export const findLastOutput = (checkpoints: readonly Checkpoint[]): PayloadRef | undefined =>
  checkpoints
    .flatMap((checkpoint) => {
      const statuses = parseRows(checkpoint).map(([, status]) => status);
      return checkpoint.results.filter((_, place) => statuses[place] === 'completed');
    })
    .at(-1)?.output;

const Status = z.enum(['completed', 'failed']);
const Moment = z.iso.datetime({ offset: true }).optional();
const text = z.string().nullable();

export const RunResultQuery = PageQuery.extend({
  status: Status.optional(),
  promptId: z.string().min(1).max(255).optional().meta({ description: 'The id of a prompt step' }),
  from: Moment.meta({ description: 'Created at or after this time' }),
  to: Moment.meta({ description: 'Created at or before this time' }),
  sortBy: z.enum(['createdAt', 'status']).default('createdAt'),
  sortOrder: z.enum(['asc', 'desc']).default('desc'),
});
export type RunResultQuery = z.output<typeof RunResultQuery> & { flowId?: string | undefined };

export const RunResultPage = z.object({
  data: z.array(
    z
      .object({
        id: z.string().meta({ description: 'The id of the execution' }),
        recordId: z.string(),
        flowId: text,
        flowName: text.meta({ description: 'The name when the run ended' }),
        promptId: text.meta({ description: 'The last step of the run that called a model with a prompt' }),
        promptName: text,
        status: Status,
        result: z.unknown().optional().meta({
          description: 'The output of the last completed step; omitted if the response has no room for it',
        }),
        createdAt: z.string().meta({ description: 'When the run started' }),
      })
      .meta({ id: 'RunResult' }),
  ),
  pagination: PagePagination,
});
