/**
 * Lists step results of a flow or a record: filters and sorts index entries, then replays the rows of the page
 * (`replay.ts`).
 * Sorted by creation, it reads the entries of all earlier pages and its own; sorted otherwise, all (400 from
 * `sortedMax` on). A page ends early when its response is full; a row that is too large alone loses its large fields.
 * Results of deleted flows and records are left out. `StepResultQuery` and `StepResultPage` are the schemas of the two
 * endpoints that call it: `functions/flows/step-results.ts` and `functions/records/step-results.ts`.
 */
import * as z from 'zod';
import { invalidAt } from '../../core/errors/errors.ts';
import { getIdCreatedAt, resourceId } from '../../core/ids.ts';
import { Warning } from '../../core/warnings.ts';
import { Attempt, attemptsDescription } from '../../domain/flows/steps/attempt.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { using } from '../../platform/aws/uses.ts';
import { OffsetPagination, OffsetQuery } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { countResponseBytes, responseBytesMax } from '../../platform/http/responses/body-sizes.ts';
import {
  type CheckpointEntry,
  type CheckpointQuery,
  listFlowCheckpoints,
  listRecordCheckpoints,
  skipDeletedResults,
} from './checkpoint-index.ts';
import {
  findReferencedStep,
  type ResultRef,
  readStepIndex,
  type StepIndex,
  stepRowReader,
} from './replay.ts';

const sortFields = [
  'createdAt',
  'startedAt',
  'completedAt',
  'durationMs',
  'order',
  'status',
  'stepName',
] as const;
const Moment = z.iso.datetime({ offset: true }).optional();

export const StepResultQuery = OffsetQuery.extend({
  status: z.enum(['pending', 'running', 'completed', 'failed', 'skipped']).optional(),
  from: Moment.meta({ description: 'Created at or after this time' }),
  to: Moment.meta({ description: 'Created at or before this time' }),
  runId: resourceId('exec').optional().meta({ description: 'Of this run; `from` and `to` are ignored' }),
  sortBy: z.enum(sortFields).default('createdAt'),
  sortOrder: z.enum(['asc', 'desc']).default('desc'),
});
export type StepResultQuery = z.output<typeof StepResultQuery> & {
  flowId?: string | undefined;
  recordId?: string | undefined;
  batchId?: string | undefined;
  stepId?: string | undefined;
};

/** Sorting by anything but creation reads at most this many results. */
const sortedMax = 100_000;

export const stepResultStore = /* @__PURE__ */ using(['table:read', 'payloads:read'], (scope: Scope) => {
  const { table } = scope;

  /** Reads the index entries of all earlier pages, and the items of its own page. */
  async function readPage(source: AsyncGenerator<CheckpointEntry>, query: StepResultQuery) {
    const { limit, offset, sortBy } = query;
    const refs: ResultRef[] = [];
    const enough = sortBy === 'createdAt' ? offset + limit + 1 : sortedMax;
    for await (const entry of source) {
      refs.push(...toMatchingRefs(entry, query));
      if (refs.length >= enough) break;
    }
    if (sortBy !== 'createdAt' && refs.length >= sortedMax) {
      throw invalidAt(
        'sortBy',
        'TOO_MANY_RESULTS',
        `Narrow the filters to fewer than ${sortedMax} results, or sort by createdAt`,
      );
    }
    const { readRows } = stepRowReader(scope);
    const sorted =
      sortBy === 'createdAt'
        ? refs
        : sortRefs(
            refs,
            query,
            await readStepIndex(
              scope,
              refs.map(({ entry }) => entry),
            ),
          );
    const data = await takeFittingRows(readRows(sorted.slice(offset, offset + limit)));
    const hasMore = sorted.length > offset + data.length;
    return { data, pagination: { limit, offset, returned: data.length, hasMore } };
  }

  const toEntryQuery = ({ sortBy, sortOrder, from, to, runId }: StepResultQuery): CheckpointQuery => {
    // Results have the time of the id of their run.
    const at = runId && getIdCreatedAt(runId);
    return {
      newestFirst: sortBy !== 'createdAt' || sortOrder === 'desc',
      from: at ?? from,
      to: at ?? to,
    };
  };

  return {
    listByFlow: async (flowId: string, query: StepResultQuery) =>
      readPage(
        skipDeletedResults(table, 'record', listFlowCheckpoints(table, flowId, toEntryQuery(query))),
        query,
      ),
    listByRecord: async (recordId: string, query: StepResultQuery) =>
      readPage(
        skipDeletedResults(table, 'flow', listRecordCheckpoints(table, recordId, toEntryQuery(query))),
        query,
      ),
  };
});

/** Fields that a row omits if the response has no room for them. */
const large = { inputVariables: null, resolvedPrompt: null, stepConfig: null };

/** As many rows as the response has room for, at least one. */
async function takeFittingRows<Row extends object>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const data: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    bytes += countResponseBytes(row);
    if (bytes > responseBytesMax && data.length > 0) break;
    data.push(bytes > responseBytesMax ? { ...row, ...large } : row);
  }
  return data;
}

/** The matching results of a checkpoint, in the requested order. */
function toMatchingRefs(entry: CheckpointEntry, query: StepResultQuery): ResultRef[] {
  if (query.recordId && entry.recordId !== query.recordId) return [];
  if (query.batchId && entry.batchId !== query.batchId) return [];
  if (query.runId && entry.runId !== query.runId) return [];
  if (query.flowId && entry.flowId !== query.flowId) return [];
  const refs = entry.rows.flatMap((row, place): ResultRef[] => {
    const [stepId, status] = row;
    if (query.status && status !== query.status) return [];
    return query.stepId && stepId !== query.stepId ? [] : [{ entry, place, row }];
  });
  return query.sortBy === 'createdAt' && query.sortOrder === 'desc' ? refs.reverse() : refs;
}

type Sorting = Exclude<StepResultQuery['sortBy'], 'createdAt'>;

const sortValues: Record<Sorting, (ref: ResultRef, step: FlowStep | undefined) => string | number> = {
  startedAt: ({ row }) => row[2],
  completedAt: ({ row }) => row[2] + row[3],
  durationMs: ({ row }) => row[3],
  status: ({ row }) => row[1],
  order: (_ref, step) => step?.order ?? 0,
  stepName: (_ref, step) => step?.name ?? '',
};

function sortRefs(refs: ResultRef[], { sortBy, sortOrder }: StepResultQuery, steps: StepIndex): ResultRef[] {
  const sortValue = sortValues[sortBy as Sorting];
  const keyed = refs.map((ref) => ({ ref, value: sortValue(ref, findReferencedStep(steps, ref)) }));
  const sign = sortOrder === 'asc' ? 1 : -1;
  return keyed
    .sort((a, b) => (a.value < b.value ? -sign : a.value > b.value ? sign : 0))
    .map(({ ref }) => ref);
}

const text = z.string().nullable();
const count = z.int().nullable();

const StepResultResponse = z
  .object({
    id: z.string(),
    userId: z.string(),
    organizationId: text,
    batchExecutionId: text,
    executionSessionId: text,
    flowId: text,
    flowVersionId: text,
    recordId: text,
    recordName: text,
    recordMetadata: z.unknown(),
    stepId: text,
    stepPath: text.meta({
      description:
        'The ids of the steps around it and its own, joined by `/`: `each[3]/ask` in the fourth item of a map, `again[0]/ask` in the first pass of a loop, `both/left/ask` in a branch',
    }),
    itemIndex: count.meta({ description: 'The item of the innermost map around it, from 0' }),
    stepType: text,
    stepName: z.string(),
    stepConfig: z.unknown(),
    order: count,
    status: z.enum(['pending', 'running', 'completed', 'failed', 'skipped']),
    startedAt: text,
    completedAt: text,
    createdAt: z.string(),
    durationMs: count,
    outputPreview: text.meta({ description: 'The first 1,000 characters of the output' }),
    inputVariables: z
      .unknown()
      .meta({ description: 'The variables set by earlier steps of the run; null beyond 1 MB' }),
    resolvedPrompt: text.meta({
      description: 'Null, like stepConfig, if the row would not fit the response',
    }),
    modelUsed: text,
    promptTokens: count,
    completionTokens: count,
    totalTokens: count,
    estimatedCost: text.meta({ description: 'USD as decimal text; null if the price is unknown' }),
    reusedFrom: z
      .object({
        resultId: z.string().meta({ description: 'The step result' }),
        runId: z.string().meta({ description: 'Its batch or execution' }),
      })
      .nullable()
      .meta({ description: 'What the result was taken from, if the step did not run' }),
    savedCost: text.meta({
      description:
        'What it cost when it was made: USD as decimal text; null if it ran, or if the price is unknown',
    }),
    errorMessage: text,
    errorCode: text.meta({
      description:
        '`BUDGET_EXCEEDED` if a budget did not pay for a call of a model, `RATE_LIMITED` if the limits of a model config or its key left it no time, `OUTCOME_UNKNOWN` if what the step did may have taken effect; null for other failures',
    }),
    retryCount: count,
    attempts: z.array(Attempt).nullable().meta({ description: attemptsDescription }),
    warnings: z
      .array(Warning)
      .meta({ description: 'What went otherwise than asked, and did not fail the step' }),
  })
  .meta({ id: 'StepResult' });

export const StepResultPage = z.object({ data: z.array(StepResultResponse), pagination: OffsetPagination });
