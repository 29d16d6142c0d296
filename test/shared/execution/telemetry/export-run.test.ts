import { expect, test, vi } from 'vitest';
import { sweepOutbox } from '../../../../shared/domain/deliveries/outbox-worker.ts';
import { exportOutbox } from '../../../../shared/domain/telemetry/run-export.ts';
import { createExportNotification } from '../../../../shared/domain/telemetry/telemetry-notice.ts';
import { telemetryWriter } from '../../../../shared/domain/telemetry/telemetry-store.ts';
import { isSampled } from '../../../../shared/execution/telemetry/otlp-requests.ts';
import { runExporter } from '../../../../shared/execution/telemetry/tenant-exports.ts';
import { readTenant } from '../../../../shared/platform/data/keys.ts';
import { logged } from '../../../support/data/log-lines.ts';
import { endRuns } from '../../../support/files/exports.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { exportIn } from '../../../support/servers/otlp-receiver.ts';
import { principalHere } from '../../../support/stack/principals.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

const minutes = (count: number) => count * 60_000;

test('a failing export is tried for an hour, in the first five minutes at least once a minute, and then given up', async () => {
  const { attempt, stored, clock, received, sent } = await endRuns(() => ({ status: 503 }));
  const begun = clock.at;
  const pauses: number[] = [];
  for (let tries = 0; tries < 40; tries++) {
    await attempt();
    const item = await stored();
    if (!item) break;
    pauses.push(Date.parse(item.nextAttemptAt) - clock.at);
    clock.at = Date.parse(item.nextAttemptAt) - 2_000;
    await attempt();
    clock.at = Date.parse(item.nextAttemptAt);
  }
  expect(clock.at - begun).toBe(minutes(60));
  // Attempts before their time do nothing.
  expect(received).toHaveLength(pauses.length + 1);
  const early = received.filter(({ at }) => at - begun < minutes(5)).map(({ at }) => at);
  expect(early.length).toBeGreaterThan(5);
  const all = [...early, ...received.map(({ at }) => at).slice(early.length, early.length + 1)];
  for (const [n, at] of all.slice(1).entries()) expect(at - (all[n] ?? 0)).toBeLessThanOrEqual(minutes(1));
  expect(new Set(received.map(({ spans }) => JSON.stringify(spans))).size).toBe(1);
  expect(sent.map(({ delaySeconds }) => delaySeconds)).toEqual(pauses.map((pause) => pause / 1_000));
});

test('Retry-After is honoured, in seconds and as a date, up to the end of the hour', async () => {
  const answers = [
    { status: 429, headers: { 'retry-after': '7' } },
    {
      status: 503,
      headers: { 'retry-after': new Date(Date.now() + 365 * 86_400_000 + 97_000).toUTCString() },
    },
    { status: 429, headers: { 'retry-after': '99999' } },
    { status: 200 },
  ];
  const { attempt, stored, clock, received } = await endRuns((n) => answers[n - 1] ?? { status: 200 });
  const begun = clock.at;
  const waited: number[] = [];
  for (let n = 0; n < 4; n++) {
    await attempt();
    const item = await stored();
    if (!item) break;
    waited.push(Math.round((Date.parse(item.nextAttemptAt) - begun) / 1_000));
    clock.at = Date.parse(item.nextAttemptAt);
  }
  expect(waited[0]).toBe(7);
  expect(Math.abs((waited[1] ?? 0) - 97)).toBeLessThan(20);
  expect(waited[2]).toBe(3_600);
  expect(received).toHaveLength(4);
  expect(await stored()).toBeUndefined();
});

test.each([400, 401, 404, 302])('%i ends an export at once', async (status) => {
  const { attempt, stored, received } = await endRuns(() => ({ status }));
  await attempt();
  expect(received).toHaveLength(1);
  expect(await stored()).toBeUndefined();
});

test('spans that a collector rejects are not sent again, and logged', async () => {
  const { attempt, stored, received, key } = await endRuns(() => 'rejected');
  const { lines } = await logged(() => attempt());
  expect(received).toHaveLength(1);
  expect(await stored()).toBeUndefined();
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      message: 'A collector rejected spans of a run',
      runId: key.id,
      rejectedSpans: 1,
      reason: 'it is too old',
    }),
  );
});

test.each(['dripping', 'endless', 'packed', 'cut', 'garbage', 'warned'])(
  'a run that is answered with 200 and a body that is %s is sent once',
  async (answer) => {
    const { attempt, stored, received } = await endRuns(() => answer);
    await attempt();
    expect(received).toHaveLength(1);
    expect(await stored()).toBeUndefined();
  },
);

test('a connection that is closed, and a secret without a value, are tried again', async () => {
  const closed = await endRuns(() => 'close');
  await closed.attempt();
  expect(await closed.stored()).toMatchObject({ tries: 1 });
  const headers = { authorization: '{{secret:NO_SUCH_KEY}}' };
  const missing = await endRuns(() => ({ status: 200 }), { setting: { headers } });
  await missing.attempt();
  expect(await missing.stored()).toMatchObject({ tries: 1 });
  expect(missing.received).toHaveLength(0);
});

test('five messages at once are one request', async () => {
  const { attempt, received, stored } = await endRuns(() => ({ status: 200 }));
  await Promise.all(Array.from({ length: 5 }, () => attempt()));
  expect(received).toHaveLength(1);
  expect(await stored()).toBeUndefined();
});

test('while a collector refuses, a process asks it for one run in a while, and reads no traces for the others', async () => {
  const { attempt, keys, received, stored, clock } = await endRuns((n) => ({ status: n < 2 ? 503 : 200 }), {
    runs: 5,
  });
  for (const key of keys) await attempt(key);
  expect(received).toHaveLength(1);
  for (const key of keys) expect(await stored(key)).toMatchObject({ tries: 1 });
  clock.at += 3_000;
  for (const key of keys) await attempt(key);
  expect(new Set(received.map(({ spans }) => spans[0]?.traceId)).size).toBe(5);
  for (const key of keys) expect(await stored(key)).toBeUndefined();
});

test('an export whose message was lost is sent by the sweep', async () => {
  const { scope, tenant, sent, key, clock } = await endRuns(() => ({ status: 200 }));
  const { table } = countingRuntime().scopeOf('');
  async function* pages(range: Parameters<typeof table.pages>[0]) {
    for await (const items of table.pages(range)) {
      yield items.filter((item) => readTenant(item) === tenant.tenant);
    }
  }
  const everybody = { ...scope, table: { ...table, pages } };
  const scopeOf = (name: string) => (name === '' ? everybody : scope);
  const sweep = () => sweepOutbox({ scopeOf }, exportOutbox, scope.now(), () => 60_000);
  await sweep();
  expect(sent).toHaveLength(0);
  clock.at += 5_000;
  await sweep();
  await sweep();
  expect(sent.map(({ body }) => body)).toEqual([{ tenant: tenant.tenant, ...key }]);
});

test('a run that ended before a change, or before the end of the setting, is sent as it was to be', async () => {
  const { scope, tenant, attempt, received } = await endRuns(() => ({ status: 200 }));
  await telemetryWriter(scope).remove(principalHere(tenant));
  expect((await createExportNotification(scope, { runId: 'exec_1', kind: 'flow' })).writes).toEqual([]);
  await attempt();
  expect(received).toHaveLength(1);
});

test('the collector of the deployment gets the runs of all tenants, at a private address, without contents', async () => {
  const spans: ReturnType<typeof exportIn>[] = [];
  const headers: unknown[] = [];
  const { url } = await loopback(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    headers.push(request.headers['x-team']);
    spans.push(exportIn(Buffer.concat(chunks)));
    response.writeHead(200).end();
  });
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url);
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-team=a%20b,other=1');
  const own = await endRuns(() => ({ status: 200 }));
  expect(own.keys.map(({ to }) => to)).toEqual([expect.stringMatching(/^telemetry_/), 'deployment']);
  for (const key of own.keys) await own.attempt(key);
  expect(own.received).toHaveLength(1);
  expect(headers).toEqual(['a b']);
  expect(spans[0]?.spans).toEqual(own.received[0]?.spans);
});

test('without a collector the end of a run costs one read of half a unit', async () => {
  const { tenant } = await newTenant();
  const runtime = countingRuntime();
  const scope = runtime.scopeOf(tenant);
  const notice = await createExportNotification(scope, { runId: 'exec_1', kind: 'flow' });
  expect(notice.writes).toEqual([]);
  expect(runtime.consumed).toMatchObject({ commands: ['GetItem'] });
});

test('an export of a run that is no more is dropped', async () => {
  const { scope, keys, stored } = await endRuns(() => ({ status: 200 }));
  const [{ to } = { to: '' }] = keys;
  const gone = { id: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn', to };
  const notice = await createExportNotification(scope, { runId: gone.id, kind: 'flow' });
  await scope.table.commit(notice.writes);
  await runExporter(scope)(gone);
  expect(await stored(gone)).toBeUndefined();
});

test('a sample is the same for all spans of a trace, and has the given size', () => {
  const ids = Array.from({ length: 2_000 }, (_, n) =>
    (n * 2_654_435_761).toString(16).padStart(8, '0').slice(-8),
  );
  const traces = ids.map((id) => `${id}${id}${id}${id}`);
  const taken = (sample: number) => traces.filter((id) => isSampled(id, sample));
  expect(taken(1)).toHaveLength(traces.length);
  expect(taken(0)).toHaveLength(0);
  expect(Math.abs(taken(0.25).length / traces.length - 0.25)).toBeLessThan(0.05);
  expect(taken(0.5)).toEqual(expect.arrayContaining(taken(0.25)));
});
