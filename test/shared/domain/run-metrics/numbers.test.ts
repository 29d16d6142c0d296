import Big from 'big.js';
import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { toFoldedRange } from '../../../../shared/domain/run-metrics/metric-items.ts';
import { runRowRemover } from '../../../../shared/domain/run-metrics/remove-runs.ts';
import { folder } from '../../../../shared/domain/run-metrics/sweep-metrics.ts';
import { listMarks } from '../../../../shared/domain/runs/hour-marks.ts';
import { type Run, runEntity, runKinds } from '../../../../shared/domain/runs/run.ts';
import { getSketchQuantile, toSketch } from '../../../../shared/domain/runs/sketch.ts';
import { brokenTable } from '../../../support/data/broken-table.ts';
import { expectStatus } from '../../../support/flows/flows.ts';
import { runRow, storeRuns } from '../../../support/flows/run-rows.ts';
import { byClock, countingRuntime, newTenant, type Tenant } from '../../../support/stack/stack.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** A year ahead of the sweep of the stack, at the beginning of a day. */
const base = Math.floor(Date.now() / day) * day + 365 * day;

async function world() {
  const tenant = await newTenant();
  const clock = { at: base };
  const runtime = countingRuntime();
  const scope = byClock(runtime.scopeOf(tenant.tenant), () => new Date(clock.at));
  const store = async (runs: readonly Run[]) => {
    for (const run of runs.toSorted((one, other) =>
      (one.completedAt ?? '') < (other.completedAt ?? '') ? -1 : 1,
    )) {
      clock.at = Math.max(clock.at, Date.parse(run.completedAt ?? run.startedAt));
      await storeRuns(scope, [run]);
    }
  };
  /** Folds everything that is due at a time. */
  const foldAt = async (at: number) => {
    clock.at = at;
    const due = (await listMarks(scope)).sort((one, other) => other.period.length - one.period.length);
    for (const { period } of due) await folder(scope)(period);
  };
  /** The day of an hour is due half an hour later than the hour. */
  const foldAll = async (at: number) => {
    await foldAt(at);
    await foldAt(at + hour);
    expect(await listMarks(scope)).toHaveLength(0);
  };
  return { tenant, clock, scope, store, foldAt, foldAll };
}

const metrics = async ({ call }: Tenant, query: Record<string, string>) =>
  (await expectStatus(200, call('GET', `/v1/run-metrics?${new URLSearchParams(query)}`))).groups;
const span = (from: number, to: number) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T;
const flows = [newId('flow'), newId('flow')];
const agents = [newId('agent'), newId('agent')];

function randomRun(from: number, to: number): Run {
  const startedAt = from + Math.floor(Math.random() * (to - from));
  const kind = pick(runKinds);
  const unpriced = Math.random() < 0.1;
  return runRow({
    kind,
    startedAt,
    completedAt: startedAt + Math.floor(10 ** (Math.random() * 7.3)),
    status: pick(['completed', 'completed', 'failed', 'cancelled'] as const),
    ...(kind === 'agent' ? { agentId: pick(agents) } : { flowId: pick(flows) }),
    ...(Math.random() < 0.3 && { parentRunId: newId('exec') }),
    totalCost: unpriced ? null : new Big(Math.floor(Math.random() * 1e9)).div('1e15').toFixed(),
    tokens: { input: pick([0, 10]), output: pick([0, 7]), cachedInput: 1, reasoning: 0 },
    use: {
      'openai/gpt': {
        calls: 2,
        failed: 1,
        tokens: { input: 5, output: 3, cachedInput: 0, reasoning: 0 },
        cost: '0.000000000000001',
        durations: toSketch([5, 500]),
      },
    },
  });
}

/** The numbers of runs, by the definition. */
function expected(runs: readonly Run[]) {
  const ms = runs.map((run) => Date.parse(run.completedAt ?? '') - Date.parse(run.startedAt));
  const quantile = (q: number) => {
    const value = getSketchQuantile(toSketch(ms), q);
    return value === null ? null : Math.round(value);
  };
  const priced = runs.filter(({ totalCost }) => totalCost !== null);
  const sum = (of: (run: Run) => number) => runs.reduce((total, run) => total + of(run), 0);
  return {
    runs: runs.length,
    completed: runs.filter(({ status }) => status === 'completed').length,
    failed: runs.filter(({ status }) => status === 'failed').length,
    cancelled: runs.filter(({ status }) => status === 'cancelled').length,
    durationMs: { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) },
    tokens: {
      input: sum(({ tokens }) => tokens?.input ?? 0),
      output: sum(({ tokens }) => tokens?.output ?? 0),
      cachedInput: sum(({ tokens }) => tokens?.cachedInput ?? 0),
    },
    cost:
      runs.length > 0 && priced.length === 0
        ? null
        : priced.reduce((total, { totalCost }) => total.plus(totalCost ?? 0), new Big(0)).toFixed(),
    savedCost: '0',
  };
}

const endsWithin = (runs: readonly Run[], from: number, to: number) =>
  runs.filter(({ completedAt = '' }) => Date.parse(completedAt) >= from && Date.parse(completedAt) < to);

function expectPoints(points: { at: string }[], runs: readonly Run[], length: number, count: number) {
  const at = Array.from({ length: count }, (_, index) => base + index * length);
  expect(points).toEqual(
    at.map((start) => ({
      at: new Date(start).toISOString(),
      ...expected(endsWithin(runs, start, start + length)),
    })),
  );
}

async function expectAll({ tenant }: { tenant: Tenant }, runs: readonly Run[]) {
  const roots = runs.filter(({ parentRunId }) => !parentRunId);
  const [all] = await metrics(tenant, { ...span(base, base + 2 * day), interval: 'hour' });
  expectPoints(all.points, roots, hour, 48);
  expect(all.total).toEqual(expected(endsWithin(roots, base, base + 2 * day)));
  const [byDay] = await metrics(tenant, { ...span(base, base + 2 * day), interval: 'day' });
  expectPoints(byDay.points, roots, day, 2);
  expect(byDay.total).toEqual(all.total);
  const ofAgents = await metrics(tenant, { ...span(base, base + 2 * day), groupBy: 'agent' });
  for (const agentId of agents) {
    const own = runs.filter((run) => run.agentId === agentId);
    expectPoints(ofAgents.find(({ key }: { key: string }) => key === agentId).points, own, hour, 48);
  }
  const [model] = await metrics(tenant, { ...span(base, base + 2 * day), groupBy: 'model', interval: 'day' });
  const within = endsWithin(runs, base, base + 2 * day).length;
  expect(model).toMatchObject({
    key: 'openai/gpt',
    total: { runs: 2 * within, failed: within, cost: new Big('1e-15').times(within).toFixed() },
  });
}

test('numbers are the sums over rows, before hours and days are folded, between, and afterwards', async () => {
  const at = await world();
  const runs = Array.from({ length: 120 }, () => randomRun(base, base + 1.5 * day));
  await at.store(runs);
  await expectAll(at, runs);
  await at.foldAt(base + 6 * hour);
  await expectAll(at, runs);
  await at.foldAt(base + day + 3 * hour);
  await expectAll(at, runs);
  await at.foldAll(base + 20 * day);
  await expectAll(at, runs);
});

test('a run that ends late counts in its hour, even if that hour is folded', async () => {
  const at = await world();
  const inTime = runRow({ startedAt: base + 1, completedAt: base + 5, totalCost: '0.1' });
  await at.store([inTime]);
  await at.foldAll(base + 2 * day);
  const late = runRow({ startedAt: base + 2, completedAt: base + 50, totalCost: '0.02' });
  await storeRuns(at.scope, [late]);
  const query = { ...span(base, base + day), interval: 'day' };
  expect((await metrics(at.tenant, query))[0].total).toMatchObject({ runs: 2, cost: '0.12' });
  await at.foldAt(at.clock.at + 10 * 60_000);
  expect(await listMarks(at.scope)).toHaveLength(1);
  await at.foldAll(at.clock.at + hour);
  expect((await metrics(at.tenant, query))[0].total).toMatchObject({ runs: 2, cost: '0.12' });
});

test('the time of an id decides where a row is found, not its start', async () => {
  const at = await world();
  const run = {
    ...runRow({ startedAt: base - 10, completedAt: base + 20 }),
    startedAt: new Date(base + 1).toISOString(),
  };
  await at.store([run]);
  const query = span(base, base + hour);
  expect((await metrics(at.tenant, query))[0].total.runs).toBe(1);
  await at.foldAt(base + 2 * day);
  expect((await metrics(at.tenant, query))[0].total.runs).toBe(1);
});

const batch = () =>
  runRow({
    kind: 'batch',
    flowId: flows[0] as string,
    startedAt: base + 22 * hour,
    completedAt: base + 25 * hour + 5,
    totalCost: '1',
    records: Object.fromEntries(
      [22, 23, 24, 25].map((h, index) => [
        new Date(base + h * hour).toISOString().slice(0, 13),
        { completed: 10 + index, failed: index, durations: toSketch([100, 200]) },
      ]),
    ),
  });

async function expectRecords(tenant: Tenant) {
  const query = { ...span(base + 22 * hour, base + 26 * hour), groupBy: 'kind' };
  const groups = await metrics(tenant, query);
  const group = (kind: string) => groups.find(({ key }: { key: string }) => key === kind);
  expect(group('record').points.map(({ runs }: { runs: number }) => runs)).toEqual([10, 12, 14, 16]);
  expect(group('record').total).toMatchObject({ runs: 52, failed: 6, cost: '0' });
  expect(group('batch').total).toMatchObject({ runs: 1, cost: '1' });
  // A range that ends before the batch does.
  const before = await metrics(tenant, { ...span(base + 22 * hour, base + 24 * hour), kind: 'record' });
  expect(before[0].total).toMatchObject({ runs: 22 });
  const days = await metrics(tenant, { ...span(base, base + 2 * day), kind: 'record', interval: 'day' });
  expect(days[0].points.map(({ runs }: { runs: number }) => runs)).toEqual([22, 30]);
  const all = await metrics(tenant, span(base, base + 2 * day));
  expect(all[0].total).toMatchObject({ runs: 1, cost: '1' });
}

test('records of a batch count in the hours in which they ended, also in hours and days that are folded', async () => {
  const at = await world();
  await at.store([batch()]);
  await expectRecords(at.tenant);
  for (const time of [base + 25.9 * hour, base + 26.5 * hour]) {
    await at.foldAt(time);
    await expectRecords(at.tenant);
  }
  await at.foldAll(base + 3 * day);
  await expectRecords(at.tenant);
});

test('a batch of more hours than a transaction takes counts once in each', async () => {
  const at = await world();
  const hours = Array.from({ length: 40 }, (_, h) => new Date(base + h * hour).toISOString().slice(0, 13));
  const records = { completed: 1, failed: 0, durations: toSketch([100]) };
  const long = runRow({
    kind: 'batch',
    startedAt: base,
    completedAt: base + 39.5 * hour,
    records: Object.fromEntries(hours.map((each) => [each, records])),
  });
  await at.store([long]);
  const query = { ...span(base, base + 40 * hour), kind: 'record' };
  const before = await metrics(at.tenant, query);
  expect(before[0].points.map(({ runs }: { runs: number }) => runs)).toEqual(hours.map(() => 1));
  await at.foldAll(base + 3 * day);
  expect(await metrics(at.tenant, query)).toEqual(before);
  const days = await metrics(at.tenant, { ...span(base, base + 2 * day), kind: 'record', interval: 'day' });
  expect(days[0].points.map(({ runs }: { runs: number }) => runs)).toEqual([24, 16]);
});

test('of workers that fold the same hour one finishes, and a crash between its steps changes nothing', async () => {
  const at = await world();
  await at.store([
    batch(),
    runRow({ startedAt: base + 25 * hour, completedAt: base + 25 * hour + 9, totalCost: '0.5' }),
  ]);
  const period = new Date(base + 25 * hour).toISOString().slice(0, 13);
  const total = async () =>
    (await metrics(at.tenant, { ...span(base, base + 2 * day), interval: 'day' }))[0].total;
  const before = await total();
  expect(before).toMatchObject({ runs: 2, cost: '1.5' });
  at.clock.at = base + 26.5 * hour;
  const crashed = async (failing: string, where: 'before' | 'after') => {
    const crash = (command: string) => {
      if (command === failing) throw new Error('crash');
    };
    const table = brokenTable(at.tenant.tenant, { [where]: crash });
    await expect(folder({ ...at.scope, table })(period)).rejects.toThrow('crash');
    expect(await total()).toEqual(before);
    await expectRecordsOnce(at.tenant);
    at.clock.at += 11 * 60_000;
  };
  await crashed('UpdateItem', 'before');
  await crashed('UpdateItem', 'after');
  await crashed('TransactWriteItems', 'before');
  const workers = await Promise.all([folder(at.scope)(period), folder(at.scope)(period)]);
  expect(workers.toSorted()).toEqual([false, true]);
  await storeRuns(at.scope, [runRow({ startedAt: base + 25 * hour, completedAt: base + 25 * hour + 1 })]);
  at.clock.at += 30 * 60_000;
  Object.assign(before, await total());
  await crashed('TransactWriteItems', 'after');
  await at.foldAll(base + 5 * day);
  expect(await total()).toEqual(before);
  await expectRecordsOnce(at.tenant);
});

const expectRecordsOnce = async (tenant: Tenant) =>
  expect((await metrics(tenant, { ...span(base, base + 2 * day), kind: 'record' }))[0].total.runs).toBe(52);

test('numbers remain when rows are deleted, before their hour is folded and afterwards', async () => {
  const at = await world();
  const runs = Array.from({ length: 60 }, () => randomRun(base, base + 0.9 * hour)).map((run) => ({
    ...run,
    completedAt: new Date(Date.parse(run.startedAt) + 1000).toISOString(),
  }));
  await at.store(runs);
  const remove = runRowRemover(at.scope);
  // Twice at once, as two cleaners would.
  await Promise.all([remove(runs.slice(0, 30)), remove(runs.slice(0, 30))]);
  await expectAll(at, runs);
  await at.foldAt(base + 2 * hour);
  await expectAll(at, runs);
  await remove(runs.slice(30));
  await expectAll(at, runs);
  // Somebody ends late: the hour is folded again, without its rows.
  const late = runRow({
    startedAt: base + 7,
    completedAt: base + 9,
    kind: 'tool',
    totalCost: '0.1',
    use: runs[0]?.use,
  });
  await storeRuns(at.scope, [late]);
  await at.foldAll(base + 3 * day);
  await expectAll(at, [...runs, late]);
});

test('an hour with more numbers than an item holds takes several', async () => {
  const at = await world();
  const runs = Array.from({ length: 3_000 }, (_, index) =>
    runRow({
      startedAt: base + index,
      completedAt: base + index + 1 + (index % 977),
      flowId: newId('flow'),
      trigger: { type: 'api', apiKeyId: newId('key') },
      totalCost: '0.001',
    }),
  );
  await storeRuns(at.scope, runs.slice(0, 1));
  const { writes } = at.scope.table;
  for (let from = 1; from < runs.length; from += 100) {
    await at.scope.table.commit(runs.slice(from, from + 100).map((run) => writes.put(runEntity, run)));
  }
  const query = span(base, base + hour);
  expect((await metrics(at.tenant, query))[0].total).toMatchObject({ runs: 3_000, cost: '3' });
  await at.foldAt(base + 2 * hour);
  const period = new Date(base).toISOString().slice(0, 13);
  expect(await at.scope.table.count(toFoldedRange(period, period))).toBeGreaterThan(1);
  expect((await metrics(at.tenant, query))[0].total).toMatchObject({ runs: 3_000, cost: '3' });
  expect(await metrics(at.tenant, { ...query, groupBy: 'flow' })).toHaveLength(100);
});
