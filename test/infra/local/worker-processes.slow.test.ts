import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { createClient } from '../../../packages/client/src/client.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { childProcessIds, killAll, newDirectory, start } from '../../support/stack/processes.ts';

afterEach(killAll);

const records = 300;

/** Counts how often each record has called. */
async function startReceiver() {
  const calls = new Map<string, number>();
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '', 'http://receiver').searchParams.get('name') ?? '';
    calls.set(name, (calls.get(name) ?? 0) + 1);
    setTimeout(() => response.end('{}'), 50);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  return { calls, url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => server.close() };
}

async function beginBatch(url: string, apiKey: string, receiver: string) {
  const { call } = createClient({ baseUrl: url, apiKey });
  const flowSteps = [
    {
      type: 'transform-data',
      name: 'Compute',
      config: { script: 'return { n: 1 };', outputVariable: 'place' },
    },
    {
      type: 'api-call',
      name: 'Tell',
      config: {
        http: { url: `${receiver}/?name={{ _record.name }}`, method: 'GET' },
        outputVariable: 'told',
      },
    },
  ] as const;
  const { id } = await call('flows.create', { body: { name: 'Told', flowSteps: flowSteps as never } });
  await call('flows.publish', { params: { id } });
  const rows = Array.from({ length: records }, (_, n) => `r${n}`);
  const file = new File([`name\n${rows.join('\n')}\n`], 'records.csv');
  await call('records.upload-csv', { body: { file, nameColumn: 'name', typeValue: 'thing' } });
  const { batchId } = await call('flows.run-on-record-type', {
    params: { id },
    body: { recordType: 'thing', options: { recordConcurrency: 10 } },
  });
  return () => call('batches.status', { params: { id: batchId } });
}

test('a batch runs in processes of its own; one that is killed loses no record, and they end with the service', async () => {
  using receiver = await startReceiver();
  const { child, facts } = await start({
    DATA_DIR: newDirectory(),
    WORKER_PROCESSES: '2',
    RATE_LIMIT_PER_HOUR: '100000',
    LOCAL_ALLOWED_HOSTS: new URL(receiver.url).host,
  });
  const status = await beginBatch(facts.url, facts.liveKey, receiver.url);
  const workers = () => childProcessIds(child, 'worker-process');
  await eventually(async () => expect(workers()).toHaveLength(2), 20_000);
  await eventually(async () => expect(receiver.calls.size).toBeGreaterThan(records / 4), 30_000);
  const [killed = 0] = workers();
  process.kill(killed, 'SIGKILL');
  await eventually(async () => {
    expect(await status()).toMatchObject({ successCount: records, totalRecords: records });
  }, 60_000);
  expect(receiver.calls.size).toBe(records);
  const repeated = [...receiver.calls.values()].filter((count) => count > 1);
  // Those whose answer was on its way.
  expect(repeated.length).toBeLessThanOrEqual(10);
  const left = workers();
  child.kill('SIGKILL');
  await eventually(async () => {
    for (const pid of left) expect(() => readFileSync(`/proc/${pid}/stat`)).toThrow();
  }, 10_000);
});
