import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { type BenchStack, startBenchStack } from '../measure/stack.ts';
import { publishBenchFlow, runBatch, uploadFirstAirports, uploadPlaces } from './batch.ts';

const [few, many] = [3_000, 100_000];
const turns = 3;
const patienceMs = 900_000;

/** (large-batch) Whether a batch of 100,000 records runs each as fast as one of 3,000, and can be looked at for the same. */
export async function measureLargeBatch(): Promise<Figure[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-stack-'));
  await using stack = await startBenchStack({ dataDir: directory.path });
  await uploadFirstAirports(stack.api, 'warm-up', 300);
  printProgress(`large-batch: upload of ${many} records`);
  await uploadPlaces(stack.api, 'few', few);
  await uploadPlaces(stack.api, 'many', many);
  const flowId = await publishBenchFlow(stack.api, 'local');
  await runBatch(stack.api, flowId, 'warm-up');
  const rateOf = async (type: string) => {
    const { id, records, seconds } = await runBatch(stack.api, flowId, type, {}, patienceMs);
    return { id, perSecond: records / seconds };
  };
  const small: Awaited<ReturnType<typeof rateOf>>[] = [];
  for (let turn = 0; turn < turns; turn++) small.push(await rateOf('few'));
  printProgress(`large-batch: a batch of ${many} records`);
  const large = await rateOf('many');
  for (let turn = 0; turn < turns; turn++) small.push(await rateOf('few'));
  const rate = median(small.map(({ perSecond }) => perSecond));
  const [requestsOfSmall, requestsOfLarge] = [
    await countRequests(stack, small[0]?.id as string),
    await countRequests(stack, large.id),
  ];
  return [
    {
      figure: 'large-batch',
      what: `records a second of a batch of ${many} records, as a share of those of a batch of ${few}`,
      value: round(large.perSecond / rate, 2),
      unit: 'of the rate',
      goal: { atLeast: 0.9 },
      details: {
        perSecond: round(large.perSecond, 0),
        few: small.map(({ perSecond }) => round(perSecond, 0)),
      },
    },
    {
      figure: 'large-batch',
      what: `DynamoDB requests to look at a batch of ${many} records (its status, its run, the list of runs), as a multiple of those of ${few}`,
      value: round(requestsOfLarge / requestsOfSmall, 2),
      unit: 'times',
      goal: { atMost: 1.1 },
      details: { requests: requestsOfLarge, few: requestsOfSmall },
    },
  ];
}

async function countRequests({ api, ask }: BenchStack, id: string): Promise<number> {
  await ask('startRecording', { capacity: false });
  await api.call('batches.status', { params: { id } });
  await api.call('runs.get', { params: { id } });
  await api.call('runs.list', { query: { limit: 20 } });
  return (await ask('stopRecording')).length;
}
