import { expect, test, vi } from 'vitest';
import { loadOnce } from '../../../../shared/core/concurrency/load-once.ts';
import { runExportEntity } from '../../../../shared/domain/telemetry/run-export.ts';
import { type CollectorAnswer, type EndedWorld, endRuns } from '../../../support/files/exports.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  template,
} from '../../../support/flows/flows.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { newTenant } from '../../../support/stack/stack.ts';

const ok = { status: 200 };
const busy = { status: 429, headers: { 'retry-after': '10' } };
const down = { status: 503 };
/** Of the batch below: a run, 260 records, and six steps in each. */
const sizes = [512, 512, 512, 285];

/** One for all tests, which export it one after the other. */
const largeRun = loadOnce(async (): Promise<EndedWorld> => {
  const tenant = await newTenant();
  const steps = Array.from({ length: 6 }, (_, n) => template(`step ${n}`));
  const flow = await publishedFlow(tenant, steps);
  const records = await createRecords(tenant, 'thing', 260);
  const body = { flowId: flow.id, recordIds: records.map(({ id }) => id) };
  const { batchExecutionId } = await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  await finishedBatch(tenant, batchExecutionId);
  return { tenant, ids: [batchExecutionId] };
});

type World = Awaited<ReturnType<typeof endRuns>>;

/** A large run, and a collector that takes so long for each request. */
async function exported(answer: (n: number, world: World) => CollectorAnswer, secondsEach = 0) {
  const world: World = await endRuns(
    (n) => {
      world.clock.at += secondsEach * 1_000;
      return answer(n, world);
    },
    { start: largeRun },
  );
  return world;
}

const sizesOf = ({ received }: World) => received.map(({ spans }) => spans.length);
const idsOf = (received: World['received']) =>
  received.flatMap(({ spans }) => spans.map((span) => span.spanId));

async function next({ attempt, stored, clock }: World) {
  const item = await stored();
  clock.at = Date.parse(String(item?.nextAttemptAt));
  await attempt();
  return stored();
}

test('a collector that takes long for each part gets all of them, each once and soon', async () => {
  const world = await exported(() => ok, 10);
  await world.attempt();
  expect(sizesOf(world)).toEqual(sizes.slice(0, 3));
  const item = await world.stored();
  expect(item).toMatchObject({ tries: 0, acceptedUpTo: world.received.at(-1)?.spans.at(-1)?.spanId });
  expect(world.sent.map(({ delaySeconds }) => delaySeconds)).toEqual([1]);
  expect(await next(world)).toBeUndefined();
  expect(sizesOf(world)).toEqual(sizes);
  const ids = idsOf(world.received);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a collector that takes two parts at a time gets all of them, each at the next attempt', async () => {
  const world = await exported((n) => (n % 3 ? ok : busy));
  await world.attempt();
  expect(await world.stored()).toMatchObject({ tries: 1 });
  expect(world.sent.map(({ delaySeconds }) => delaySeconds)).toEqual([10]);
  expect(await next(world)).toBeUndefined();
  const accepted = world.received.filter((_, n) => (n + 1) % 3);
  expect(accepted.map(({ spans }) => spans.length)).toEqual(sizes);
  expect(new Set(idsOf(accepted)).size).toBe(idsOf(accepted).length);
});

test('parts that were accepted end a row of failures', async () => {
  const world = await exported((n) => (n < 4 || n === 6 ? down : ok));
  await world.attempt();
  await next(world);
  expect(await next(world)).toMatchObject({ tries: 3 });
  const item = await next(world);
  expect(item).toMatchObject({ tries: 1 });
  expect(Date.parse(String(item?.nextAttemptAt)) - world.clock.at).toBe(2_000);
});

test('at the end of the hour a collector that accepts parts gets the rest, and one that does not gets no more', async () => {
  const world = await exported((n) => (n === 1 || n > 3 ? down : ok));
  const begun = world.clock.at;
  await world.attempt();
  const hour = { set: { nextAttemptAt: new Date(begun + 3_600_000).toISOString() } };
  await world.scope.table.commit([world.scope.table.writes.update(runExportEntity, world.key, hour)]);
  const item = await next(world);
  expect(item).toMatchObject({ tries: 1 });
  expect(Date.parse(String(item?.nextAttemptAt)) - begun).toBeGreaterThan(3_600_000);
  expect(await next(world)).toBeUndefined();
  expect(sizesOf(world)).toEqual([512, 512, 512, 512, 512]);
});

test('spans are sent again from the first on if the last one that was accepted is no more', async () => {
  const world = await exported((n) => (n === 2 ? down : ok));
  await world.attempt();
  const { table } = world.scope;
  const gone = { set: { acceptedUpTo: 'f'.repeat(16) } };
  await table.commit([table.writes.update(runExportEntity, world.key, gone)]);
  expect(await next(world)).toBeUndefined();
  expect(sizesOf(world).slice(2)).toEqual(sizes);
});

test('the collectors of the tenant and of the deployment each continue where they were', async () => {
  let requests = 0;
  const { url } = await loopback(async (request, response) => {
    for await (const _chunk of request);
    requests += 1;
    response.writeHead(200).end();
  });
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url);
  const world = await exported((n) => (n === 3 ? down : ok));
  const [own, deployment] = world.keys;
  await world.attempt(own);
  await world.attempt(deployment);
  expect(requests).toBe(sizes.length);
  expect(await next(world)).toBeUndefined();
  expect(sizesOf(world)).toEqual([512, 512, 512, 512, 285]);
});
