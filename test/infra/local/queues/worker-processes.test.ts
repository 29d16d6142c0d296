import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toSqsEvent } from '../../../../infra/local/queues/poller.ts';
import { openWorkerProcesses } from '../../../../infra/local/queues/worker-processes.ts';
import { countWorkerProcesses } from '../../../../infra/local/runtime/memory.ts';

let returned: SQSEvent[];
let processes: ReturnType<typeof openWorkerProcesses>;
beforeEach(() => {
  returned = [];
  processes = openWorkerProcesses(2, async (event) => void returned.push(event));
});
afterEach(() => processes[Symbol.dispose]());

const toEvent = (bodies: readonly string[], deliveries = 1) =>
  toSqsEvent(
    'arn:aws:sqs:eu-central-1:000000000000:runs.fifo',
    bodies.map((Body, index) => ({
      MessageId: `${Body}-${index}`,
      Body,
      Attributes: { MessageGroupId: `g${index}`, ApproximateReceiveCount: String(deliveries) },
    })),
  );
const run = async (bodies: readonly string[], deliveries?: number) => {
  const answer = await processes.invoke(
    '../test/infra/local/queues/process-worker',
    toEvent(bodies, deliveries),
    60,
  );
  return answer?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
};
const bothReady = () =>
  vi.waitFor(() => expect(processes.processIds()).toHaveLength(2), { timeout: 20_000, interval: 20 });

test('a single invocation runs in this process, more of them start processes, which share the message groups', async () => {
  expect(await run(['which'])).toEqual([String(process.pid)]);
  expect(processes.processIds()).toEqual([]);
  await Promise.all([run(['wait']), run(['wait'])]);
  await bothReady();
  const both = new Set(await run(['which', 'which', 'which']));
  expect(both).toEqual(new Set(processes.processIds().map(String)));
});

test('a process that dies gives its messages back, and neither others nor this process end with it', async () => {
  await Promise.all([run(['wait']), run(['wait'])]);
  await bothReady();
  expect(await run(['die', 'wait'])).toEqual(['die-0']);
  expect(returned.map(({ Records }) => Records.map(({ messageId }) => messageId))).toEqual([['die-0']]);
  expect(processes.processIds()).toHaveLength(1);
  expect(await run(['throw'])).toEqual(['throw-0']);
  expect(returned).toHaveLength(1);
});

test('one that has died is replaced while another still runs', async () => {
  await Promise.all([run(['wait']), run(['wait'])]);
  await bothReady();
  await run(['die', 'wait']);
  expect(processes.processIds()).toHaveLength(1);
  await run(['which']);
  await bothReady();
});

test('a message that was delivered before never runs in this process', async () => {
  const [ran] = (await run(['which'], 2)) ?? [];
  expect(ran).not.toBe(String(process.pid));
  expect(processes.processIds().map(String)).toContain(ran);
});

test('without processes, everything runs here', async () => {
  using none = openWorkerProcesses(0, async () => {});
  const answer = await none.invoke('../test/infra/local/queues/process-worker', toEvent(['which'], 2), 60);
  expect(answer?.batchItemFailures).toEqual([{ itemIdentifier: String(process.pid) }]);
});

test('WORKER_PROCESSES states how many there are', () => {
  expect(['0', '3', '-1', 'many', '1000'].map((stated) => countWorkerProcesses(stated))).toEqual([
    0, 3, 0, 0, 64,
  ]);
});
