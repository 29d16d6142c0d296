import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { groupedModels } from '../../functions/model-configs/grouped.ts';
import { documentClient } from '../../shared/platform/data/client.ts';
import { startKilobytes } from '../http/cold-load.ts';
import { cpuBeyond } from '../http/request-cpu.ts';
import { warmGet } from '../http/warm-get.ts';
import { makeBundles } from '../measure/bundles.ts';
import { type Figure, printProgress } from '../measure/figure.ts';
import { startRecording, stopRecording } from '../measure/recorder.ts';
import { startBenchStack } from '../measure/stack.ts';

const what = 'GET /v1/model-configs/grouped?showAll=true';

/** (p) The cost of a list of the whole catalog of models. */
export async function measureModelCatalog(): Promise<Figure[]> {
  printProgress(`p: CPU, DynamoDB requests and bundle of ${what}`);
  await using stack = await startBenchStack();
  const get = await warmGet(stack, groupedModels, null, { showAll: 'true' });
  startRecording({ capacity: false });
  await get();
  const sent = stopRecording();
  const operations = sent.map(({ name }) => name);
  const inputs = new Map(sent.map(({ name, input }) => [name, input]));
  const client = documentClient();
  const bare = async () => {
    await Promise.all([
      client.send(new QueryCommand(inputs.get('Query') as QueryCommandInput)),
      client.send(new UpdateCommand(inputs.get('Update') as UpdateCommandInput)),
    ]);
  };
  const { value, wholeMs, ...details } = await cpuBeyond(get, bare);
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-catalog-'));
  const folder = (await makeBundles(directory.path))('model-configs.grouped');
  const of = (figure: string) => `${figure} of ${what}`;
  return [
    {
      figure: 'p',
      what: of('CPU time beyond the store calls'),
      value,
      unit: 'ms',
      goal: { atMost: 10 },
      details: { endpointMs: wholeMs, ...details },
    },
    {
      figure: 'p',
      what: of('DynamoDB requests'),
      value: sent.length,
      unit: 'requests',
      goal: { atMost: 2 },
      details: { operations },
    },
    {
      figure: 'p',
      what: of('bytes that the bundle loads at its start'),
      unit: 'KB',
      value: await startKilobytes(folder),
      goal: { atMost: 700 },
    },
  ];
}
