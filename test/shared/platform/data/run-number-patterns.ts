import { newId } from '../../../../shared/core/ids.ts';
import { feedbackRemover, runFeedbackStore } from '../../../../shared/domain/feedback/run-feedback-store.ts';
import { numbersReader } from '../../../../shared/domain/run-metrics/metrics-report.ts';
import { runRowRemover } from '../../../../shared/domain/run-metrics/remove-runs.ts';
import { folder } from '../../../../shared/domain/run-metrics/sweep-metrics.ts';
import { hourMarks, listPeriods } from '../../../../shared/domain/runs/hour-marks.ts';
import { runKinds } from '../../../../shared/domain/runs/run.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { runRow, storeRuns } from '../../../support/flows/run-rows.ts';
import { byClock } from '../../../support/stack/stack.ts';
import type { Pattern } from './access-pattern.ts';
import type { AccessWorld } from './access-world.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** In the future: the worker of the stack folds nothing of it. */
const base = Math.floor(Date.now() / day) * day + 30 * day;
const nameOf = (at: number) => new Date(at).toISOString().slice(0, 13);

const scopeAt = (scope: Scope, at: number): Scope => byClock(scope, () => new Date(at));

const runsAt = (at: number, count: number) =>
  Array.from({ length: count }, (_, n) =>
    runRow({ startedAt: at + n, completedAt: at + n + 100, totalCost: '0.001' }),
  );

async function withHour({ scope }: AccessWorld, at: number, count = 20) {
  const runs = runsAt(at, count);
  await storeRuns(scopeAt(scope, at), runs);
  return runs;
}

async function withFoldedDay(world: AccessWorld) {
  for (const period of listPeriods(nameOf(base), nameOf(base + 23 * hour))) {
    const at = Date.parse(`${period}:00:00Z`);
    await withHour(world, at, 2);
    await folder(scopeAt(world.scope, at + 2 * hour))(period);
  }
}

const given = { runId: newId('exec'), kind: 'flow', rating: 1, source: 'user' } as const;
const filter = { kinds: runKinds };
const page = { limit: 20, cursor: undefined };

/** How numbers of runs and feedback on them are stored and read. */
export const runNumberPatterns: Record<string, Pattern> = {
  'Mark the hour in which a run ends': {
    commands: 'UpdateItem',
    units: 2,
    indexes: 'GSI2',
    run:
      ({ scope }) =>
      () =>
        hourMarks(scopeAt(scope, base))(new Date(base).toISOString()),
  },
  'Fold an hour of twenty runs': {
    commands: 'GetItem, UpdateItem, 4 Query, TransactWriteItems',
    units: [8, 17, 16.5],
    indexes: 'GSI2',
    run: async (world) => {
      await withHour(world, base);
      return () => folder(scopeAt(world.scope, base + 2 * hour))(nameOf(base));
    },
  },
  'Fold a day': {
    commands: 'GetItem, UpdateItem, 2 Query, TransactWriteItems',
    units: [6, 14, 12],
    indexes: 'GSI2',
    run: async (world) => {
      await withFoldedDay(world);
      return () => folder(scopeAt(world.scope, base + 2 * day))(nameOf(base).slice(0, 10));
    },
  },
  'Numbers of a day by hour': {
    commands: '2 Query',
    units: 3,
    run: async (world) => {
      await withFoldedDay(world);
      const range = { from: nameOf(base), to: nameOf(base + 23 * hour), inside: false, records: false };
      return () => numbersReader(world.scope)(range);
    },
  },
  'Numbers with an hour that is not folded': {
    commands: '6 Query',
    units: [3, 7, 6.5],
    indexes: 'GSI2',
    readsNothing: true,
    run: async (world) => {
      await withHour(world, base);
      const range = { from: nameOf(base - day), to: nameOf(base), inside: false, records: false };
      return () => numbersReader(world.scope)(range);
    },
  },
  'Delete rows of runs': {
    commands: '2 Query, TransactWriteItems',
    units: [3, 46],
    run: async (world) => {
      const runs = await withHour(world, base);
      return () => runRowRemover(scopeAt(world.scope, base + hour))(runs);
    },
  },
  'Give feedback on a run': {
    commands: 'PutItem',
    units: 3,
    indexes: 'GSI1, GSI2',
    run:
      ({ scope }) =>
      () =>
        runFeedbackStore(scope).create(given),
  },
  'List the feedback of a run': {
    commands: 'Query, BatchGetItem',
    units: 1,
    indexes: 'GSI1',
    run: async ({ scope }) => {
      await runFeedbackStore(scope).create(given);
      return () => runFeedbackStore(scope).list({ ...filter, runId: given.runId }, page);
    },
  },
  'List feedback': {
    commands: 'Query, BatchGetItem',
    units: 1,
    indexes: 'GSI2',
    run: async ({ scope }) => {
      await runFeedbackStore(scope).create(given);
      return () => runFeedbackStore(scope).list({ ...filter, rating: 1 }, page);
    },
  },
  'Delete feedback': {
    commands: 'GetItem, BatchWriteItem',
    units: 4,
    indexes: 'GSI1, GSI2',
    run: async ({ scope }) => {
      const store = runFeedbackStore(scope);
      const id = await store.create(given);
      return async () => {
        await store.get(id);
        await store.remove(id);
      };
    },
  },
  'Delete the feedback of a run': {
    commands: 'Query, BatchWriteItem',
    units: 3.5,
    indexes: 'GSI1, GSI2',
    run: async ({ scope }) => {
      await runFeedbackStore(scope).create(given);
      return () => feedbackRemover(scope).ofRun(given.runId);
    },
  },
};
