import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import units from '../../bench/costs/units.json' with { type: 'json' };
import type { Units } from '../../bench/costs/units.ts';
import { parsePlan } from '../../bench/load/plan.ts';
import { loadReport, type Report } from '../../bench/load/report.ts';
import { sendAll } from '../../bench/load/send.ts';
import { OperationError } from '../../infra/operations/deployment/operation.ts';
import { tenantWithKey } from '../support/stack/keys.ts';
import { launch } from '../support/stack/processes.ts';
import { runCommand } from '../support/stack/run-command.ts';
import { stack } from '../support/stack/stack.ts';

const script = 'bench/load/main.ts';
const emptyMeasured = () => ({ latencies: [] as number[], outcomes: {}, bytesReceived: 0, seconds: 0 });

async function loaded(args: readonly string[], { url, key }: { url: string; key: string }) {
  const { code, stdout, stderr } = await runCommand(script, ['--url', url, '--json', ...args], {
    LOAD_KEY: key,
  });
  if (!stdout) throw new Error(stderr);
  return { code, report: JSON.parse(stdout) as Report & { notes: string[]; remaining: string[] } };
}

test.each([
  ['read', 200, /deleted 1 of 1/],
  ['write', 201, /deleted 12 of 12/],
  ['list', 200, /deleted 11 of 11/],
  ['dispatch', 200, /deleted 0 of 0/],
])(
  'the scenario "%s" sends its requests, reports them, and deletes what it created',
  async (scenario, status, deleted) => {
    const { key, call } = await tenantWithKey(['*']);
    const { code, report } = await loaded(
      ['--scenario', scenario, '--rate', '50', '--requests', '12', '--records', '11'],
      { url: stack().url, key },
    );
    expect(code).toBe(0);
    expect(report).toMatchObject({
      scenario,
      requests: 12,
      planned: 12,
      outcomes: { [status]: 12 },
      throttled: 0,
      failed: 0,
      remaining: [],
      notes: [expect.stringMatching(deleted)],
    });
    const { p50 = 0, p95 = 0, p99 = 0, max = 0 } = report.latency ?? {};
    expect([p50, p95, p99, max]).toEqual([p50, p95, p99, max].toSorted((one, other) => one - other));
    expect(report.bytesReceived).toBeGreaterThan(0);
    expect((await call('GET', '/v1/flows')).body).toMatchObject({ data: [] });
    expect((await call('GET', '/v1/records')).body).toMatchObject({ data: [] });
  },
);

test('the scenario "run" waits for its batches and counts their records', async () => {
  const { key } = await tenantWithKey(['*']);
  const { report } = await loaded(
    ['--scenario', 'run', '--concurrency', '1', '--requests', '2', '--records', '11'],
    { url: stack().url, key },
  );
  expect(report).toMatchObject({ outcomes: { 202: 2 }, remaining: [] });
  expect(report.notes[0]).toMatch(/^22 records ran in 2 batches/);
});

test('throttled requests, server errors and broken connections are counted apart', async () => {
  let requests = 0;
  const server = createServer((request, response) => {
    if (request.method !== 'GET') return void response.writeHead(201).end('{"id":"flow"}');
    const turn = requests++ % 4;
    if (turn === 3) return void request.socket.destroy();
    response.writeHead([200, 429, 503][turn] ?? 200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { report } = await loaded(['--rate', '100', '--requests', '20'], { url, key: 'key' });
  expect(report).toMatchObject({ requests: 20, throttled: 5, failed: 10 });
  expect(report.outcomes).toMatchObject({ 200: 5, 429: 5, 503: 5 });
  expect(report.notes.join()).toContain('1,000 requests an hour');
});

test('Ctrl-C ends the load early, with a report and without leftovers', async () => {
  const { key, call } = await tenantWithKey(['*']);
  const child = launch(
    process.execPath,
    [script, '--url', stack().url, '--json', '--scenario', 'write', '--rate', '10', '--seconds', '100'],
    { LOAD_KEY: key },
  );
  if (!child.stdout || !child.stderr) throw new Error('No pipe');
  child.stderr.once('data', () => child.kill('SIGINT'));
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const report = JSON.parse(stdout);
  expect(report.requests).toBeGreaterThan(0);
  expect(report.requests).toBeLessThan(1_000);
  expect([child.exitCode, report.planned, report.remaining]).toEqual([0, 1_000, []]);
  expect((await call('GET', '/v1/records')).body).toMatchObject({ data: [] });
});

test('the latency of a request counts from its planned time, so a stall makes all late that it delays', async () => {
  const measured = emptyMeasured();
  const stallMs = 400;
  const send = async (index: number) => {
    if (index === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stallMs);
  };
  const { signal } = new AbortController();
  await sendAll(send, { pace: { rate: 100 }, requests: 20, seconds: 10, signal }, measured);
  // The last one was planned 190 ms after the first.
  expect(Math.min(...measured.latencies)).toBeGreaterThan(stallMs - 200);
});

test('percentiles are measured values, and the cost follows from the measured units', () => {
  const latencies = Array.from({ length: 100 }, (_, index) => index + 1).toReversed();
  const plan = parsePlan(['--scenario', 'read'], {});
  const measured = { ...emptyMeasured(), latencies, seconds: 10 };
  const { latency, perSecond, estimatedUsd } = loadReport(plan, 'http://x', measured, units as Units);
  expect(latency).toEqual({ p50: 50, p95: 95, p99: 99, max: 100 });
  expect(perSecond).toBe(10);
  // 3.50 USD per million requests at API Gateway, and the rest.
  expect(estimatedUsd * 10_000).toBeGreaterThan(3.5);
});

test.each([
  ['another machine without --yes', ['--url', 'https://api.example.com/prod', '--key', 'k'], '--yes'],
  ['a URL without a key', ['--url', 'http://127.0.0.1:3000'], 'LOAD_KEY'],
  ['too high a rate', ['--rate', '501'], '--rate must be a whole number from 1 to 500'],
  ['too high a concurrency', ['--concurrency', '1e9'], '--concurrency must be'],
  ['too many requests', ['--requests', '100001'], '--requests must be'],
  ['too long a time', ['--seconds', '601'], '--seconds must be'],
  ['two paces', ['--rate', '1', '--concurrency', '1'], '--rate or --concurrency'],
  ['an unknown scenario', ['--scenario', 'toString'], 'There is no scenario toString'],
])('%s is refused', (_, args, message) => {
  expect(() => parsePlan(args, {})).toThrow(OperationError);
  expect(() => parsePlan(args, {})).toThrow(message);
});

test('another machine gets a small load without --yes, and a larger one with it', () => {
  const target = ['--url', 'https://api.example.com/prod/', '--key', 'k'];
  expect(parsePlan([...target, '--requests', '200'], {})).toMatchObject({
    requests: 200,
    target: { url: 'https://api.example.com/prod' },
  });
  expect(parsePlan([...target, '--requests', '1000', '--yes'], {})).toMatchObject({ requests: 1_000 });
});
