import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import {
  type Run,
  runEntity,
  runKinds,
  runSortKey,
  runStatuses,
} from '../../../../shared/domain/runs/run.ts';
import { triggerTypes } from '../../../../shared/domain/runs/trigger-types.ts';
import { type RunsQuery, runList } from '../../../../shared/execution/listed-runs/list-runs.ts';
import { getRunDurationMs } from '../../../../shared/execution/listed-runs/run-filter.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';
import { numRuns } from '../../../support/suite/slow.ts';

const count = 2_000;
const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
const ids = (prefix: 'flow' | 'agent' | 'product' | 'surface' | 'key') => [newId(prefix), newId(prefix)];
const flows = ids('flow');
const agents = ids('agent');
const surfaces = ids('surface');
const keys = ids('key');
const prefixOf = { batch: 'batch', flow: 'exec', agent: 'exec', tool: 'toolrun' } as const;

/** A mixture without a pattern: every third run is inside of another. */
function runAt(n: number, parents: readonly string[]): Run {
  const kind = pick(runKinds, n * 7 + (n >> 3));
  const status = kind === 'tool' ? 'completed' : pick(runStatuses, n * 11 + (n >> 2));
  const isOver = ['completed', 'failed', 'cancelled'].includes(status);
  const startedAt = new Date(1_700_000_000_000 + n * 60_000).toISOString();
  const isInside = n % 3 === 2 && parents.length > 0;
  return {
    id: newId(prefixOf[kind]),
    kind,
    name: `run ${n}`,
    status: status === 'scheduled' ? 'running' : status,
    ...(kind === 'agent' ? { agentId: pick(agents, n) } : { flowId: pick(flows, n) }),
    trigger: isInside
      ? { type: 'run' }
      : { type: pick(triggerTypes, n * 5), surfaceId: pick(surfaces, n * 3), apiKeyId: pick(keys, n >> 1) },
    ...(isInside && { parentRunId: pick(parents, n), rootRunId: pick(parents, n) }),
    startedAt,
    ...(isOver && { completedAt: new Date(Date.parse(startedAt) + (n % 50) * 1_000).toISOString() }),
    ...(isOver && { totalCost: String((n % 97) / 100) }),
    ...(status === 'failed' && { error: { code: 'RUN_FAILED', message: `Step ${n % 13} Failed` } }),
    ...(n % 4 === 0 && { tags: [`t${n % 5}`, 'all'] }),
    ...(n % 6 === 0 && { sessionId: `s${n % 7}` }),
  };
}

const runs: Run[] = [];
let scope: Scope;
const runtime = countingRuntime();

beforeAll(async () => {
  scope = runtime.scopeOf((await newTenant()).tenant);
  const parents: string[] = [];
  for (let n = 0; n < count; n++) {
    const run = runAt(n, parents);
    if (!run.parentRunId && parents.length < 5) parents.push(run.id);
    runs.push(run);
  }
  await Promise.all(
    Array.from({ length: 20 }, async (_, lane) => {
      for (let n = lane; n < runs.length; n += 20) {
        await scope.table.commit([scope.table.writes.put(runEntity, runs[n] as Run)]);
      }
    }),
  );
}, 60_000);

/** What the contract says of each filter, in other words than the code does. */
function isWanted(run: Run, query: RunsQuery): boolean {
  const { trigger } = run;
  const tests: boolean[] = [
    query.kinds.includes(run.kind),
    !query.statuses || query.statuses.includes(run.status),
    !query.triggers || query.triggers.includes(trigger.type),
    query.flowId === undefined || run.flowId === query.flowId,
    query.agentId === undefined || run.agentId === query.agentId,
    query.surfaceId === undefined || trigger.surfaceId === query.surfaceId,
    query.apiKeyId === undefined || trigger.apiKeyId === query.apiKeyId,
    query.sessionId === undefined || run.sessionId === query.sessionId,
    query.tag === undefined || (run.tags ?? []).includes(query.tag),
    query.minDurationMs === undefined || getRunDurationMs(run, new Date()) >= query.minDurationMs,
    query.minCost === undefined || Number(run.totalCost ?? 0) >= query.minCost,
    query.error === undefined || new RegExp(query.error, 'i').test(run.error?.message ?? ''),
  ];
  if (query.parentRunId !== undefined) tests.push(run.parentRunId === query.parentRunId);
  else if (query.root) tests.push(run.parentRunId === undefined);
  return tests.every(Boolean);
}

async function allPages(query: RunsQuery): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    runtime.reset();
    const page = await runList(scope)({ ...query, cursor });
    expect(runtime.consumed.commands.length).toBeLessThanOrEqual(12);
    expect(page.runs.length).toBeLessThanOrEqual(query.limit);
    found.push(...page.runs.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const some = <T>(list: readonly T[]) => fc.subarray([...list], { minLength: 1 });
const queries: fc.Arbitrary<RunsQuery> = fc.record({
  kinds: some(runKinds),
  statuses: maybe(some(['running', 'paused', 'completed', 'failed', 'cancelled'] as const)),
  triggers: maybe(some(triggerTypes)),
  flowId: maybe(fc.constantFrom(...flows)),
  agentId: maybe(fc.constantFrom(...agents)),
  surfaceId: maybe(fc.constantFrom(...surfaces)),
  apiKeyId: maybe(fc.constantFrom(...keys)),
  sessionId: maybe(fc.constantFrom('s0', 's3', 'none')),
  tag: maybe(fc.constantFrom('t0', 'all', 'none')),
  minDurationMs: maybe(fc.constantFrom(0, 25_000)),
  minCost: maybe(fc.constantFrom(0, 0.5)),
  error: maybe(fc.constantFrom('step 1', 'FAILED', 'none')),
  root: fc.boolean(),
  limit: fc.constantFrom(7, 20, 100),
});

test('each filter finds what a look at every run finds, in order, within 12 requests a page', async () => {
  const newestFirst = runs.toSorted((a, b) => (runSortKey(a.id) < runSortKey(b.id) ? 1 : -1));
  await fc.assert(
    fc.asyncProperty(queries, fc.boolean(), fc.nat(4), async (query, isOfParent, place) => {
      const parentRunId =
        isOfParent && !query.root ? runs.flatMap((run) => run.parentRunId ?? [])[place] : undefined;
      const asked = { ...query, parentRunId };
      // Batches that do not exist: their progress is unknown, so they are as they were stored.
      const wanted = newestFirst.filter((run) => isWanted(run, asked)).map(({ id }) => id);
      expect(await allPages(asked)).toEqual(wanted);
    }),
    { numRuns: numRuns(40) },
  );
}, 120_000);

test('the requests and units of a page depend on the page, not on the number of runs', async () => {
  const cost = async () => {
    runtime.reset();
    await runList(scope)({ kinds: runKinds, root: true, limit: 20 });
    return { ...runtime.consumed };
  };
  const { commands, capacityUnits } = await cost();
  expect(commands.filter((command) => command === 'Query')).toHaveLength(1);
  expect(capacityUnits).toBeLessThan(20);
});
