import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../packages/client/src/client.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { type BenchApi, type BenchStack, startBenchStack, startModelServer } from '../measure/stack.ts';
import { publishBenchFlow, uploadFirstAirports } from './batch.ts';

const smallRecords = 10;
const turns = 5;
const pollMs = 10;

/** (j) How long a batch of ten records takes next to another tenant's batch of 3,000, relative to its time alone. */
export async function measureFairness(): Promise<Figure[]> {
  using models = await startModelServer();
  await using stack = await startBenchStack({ modelsUrl: models.url });
  const small = await smallBatch(await otherTenant(stack));
  await small();
  const alone: number[] = [];
  for (let turn = 1; turn <= turns; turn++) alone.push(await small());
  printProgress('j: a batch of ten records beside one of 3,000');
  await uploadFirstAirports(stack.api, 'airport');
  const flowId = await publishBenchFlow(stack.api, 'model');
  const { batchId } = await stack.api.call('flows.run-on-record-type', {
    params: { id: flowId },
    body: { recordType: 'airport' },
  });
  const status = () => stack.api.call('batches.status', { params: { id: batchId } });
  while ((await status()).processedRecords < 100) await sleep(pollMs);
  const beside: number[] = [];
  while (beside.length < turns) {
    const took = await small();
    if ((await status()).completedAt !== undefined) throw new Error('The large batch was over too soon');
    beside.push(took);
  }
  return [
    {
      figure: 'j',
      what: 'time of a batch of ten records beside one of 3,000, as a multiple of its time alone',
      value: round(median(beside) / median(alone), 2),
      unit: '×',
      goal: { atMost: 3 },
      details: {
        aloneMs: alone.map((ms) => round(ms, 0)),
        besideMs: beside.map((ms) => round(ms, 0)),
      },
    },
  ];
}

/** A separate tenant whose batch of ten can run repeatedly. @returns its time in ms. */
async function smallBatch(api: BenchApi): Promise<() => Promise<number>> {
  await uploadFirstAirports(api, 'small', smallRecords);
  const { data } = await api.call('records.list', { query: { type: 'small' } });
  const recordIds = data.map(({ id }) => id);
  const flowId = await publishBenchFlow(api, 'model');
  return async () => {
    const began = performance.now();
    const { batchExecutionId: id } = await api.call('batches.run-flow', { body: { flowId, recordIds } });
    for (;;) {
      const { completedAt } = await api.call('batches.status', { params: { id } });
      if (completedAt !== undefined) return performance.now() - began;
      await sleep(pollMs);
    }
  };
}

async function otherTenant({ facts }: BenchStack): Promise<BenchApi> {
  const response = await fetch(`${facts.url}/local/sessions`, {
    method: 'POST',
    body: JSON.stringify({ userId: 'another' }),
  });
  const { token } = (await response.json()) as { token: string };
  return createClient({ baseUrl: facts.url, apiKey: token });
}
