import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { requestMessageText, startModelStandIn } from '../../../examples/model-stand-in.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { createClient, type Schemas } from '../../../packages/client/src/client.ts';
import { killAll, killTree, newDirectory, start } from '../../support/stack/processes.ts';

const recordCount = 4_000;
const perChunk = 20;
/** 200 chunks of records, 10 of results, one at the end. */
const callsPerLevel = [200, 10, 1];

/** How often the model read each list of items. */
const seen = new Map<string, number>();
const numbersIn = (text: string): number[] =>
  JSON.parse(text)
    .flat()
    .map((each: unknown) => toSum(each));
/** A record has its number, a result says its sum. */
const toSum = (item: unknown): number =>
  typeof item === 'string' ? Number(item) : (item as { n: number }).n;
const models = await startModelStandIn({
  delayMs: 10,
  answer({ messages }) {
    const items = requestMessageText(messages.at(-1) as never).split('\n')[1] ?? '[]';
    seen.set(items, (seen.get(items) ?? 0) + 1);
    return String(numbersIn(items).reduce((sum, each) => sum + each, 0));
  },
});
afterAll(() => models.close());
afterEach(killAll);

const clientOf = ({ url, liveKey }: StackFacts) => createClient({ baseUrl: url, apiKey: liveKey });

const stepsFor = (model: string): Schemas.FlowSteps => [
  {
    type: 'reduce',
    id: 'all',
    name: 'all',
    config: {
      from: { recordType: 'complaint' },
      fields: ['n'],
      chunk: { maxItems: perChunk },
      combine: 'tree',
      outputVariable: 'total',
      steps: [
        {
          type: 'prompt',
          id: 'sum',
          name: 'sum',
          config: { model, userPrompt: 'Add these:\n{{ items | json }}' },
        },
      ],
    },
  },
];

test('a reduce over 4,000 records that is killed at each level reads every record once, and costs no more than its forecast', async () => {
  const environment = {
    DATA_DIR: newDirectory(),
    GENERIC_OPENAI_BASE_URL: models.url,
    LOCAL_MODEL: 'off',
    RATE_LIMIT_PER_HOUR: '1000000',
    RATE_LIMIT_PER_DAY: '1000000',
  };
  let { child, facts } = await start(environment);
  let client = clientOf(facts);
  const customModel = {
    displayName: 'Priced',
    inputCostPer1kTokens: 0.001,
    outputCostPer1kTokens: 0.002,
    maxOutputTokens: 50,
    executorConfig: { modelMapping: 'any' },
  };
  const body = { provider: 'generic-openai' as const, modelId: 'any', settings: { customModel } };
  const model = (await client.call('model-configs.create', { body })).id;
  const { id: importId, upload } = await client.call('imports.create', {
    body: { source: { upload: { fileName: 'complaints.csv' } }, type: 'complaint' },
  });
  const rows = Array.from({ length: recordCount }, (_, n) => `complaint ${n},${n}`);
  await fetch(upload?.url ?? '', { method: 'PUT', body: `name,n\n${rows.join('\n')}\n` });
  await client.call('imports.start', { params: { id: importId }, body: {} });
  while ((await client.call('imports.get', { params: { id: importId } })).status !== 'completed')
    await sleep(100);
  const one = await client.call('records.create', { body: { type: 'question', name: 'the only one' } });
  const flow = await client.call('flows.create', { body: { name: 'All', flowSteps: stepsFor(model) } });
  await client.call('flows.publish', { params: { id: flow.id } });
  const asked = { flowId: flow.id, recordIds: [one.id], options: { maxRetries: 0 } };
  const forecast = await client.call('batches.forecast', { body: asked });
  const { batchExecutionId: batchId } = await client.call('batches.run-flow', { body: asked });

  const calls = () => [...seen.values()].reduce((sum, each) => sum + each, 0);
  const killsAt = [20, 120, callsPerLevel[0] ?? 0, (callsPerLevel[0] ?? 0) + 5, 210];
  for (const at of killsAt) {
    while (seen.size < at) await sleep(5);
    killTree(child);
    ({ child, facts } = await start(environment));
    client = clientOf(facts);
  }
  const status = () => client.call('batches.status', { params: { id: batchId } });
  while (['scheduled', 'running'].includes((await status()).status)) await sleep(200);
  const { data } = await client.call('records.step-results', {
    params: { id: one.id },
    query: { limit: 100 },
  } as never);
  const total = (recordCount * (recordCount - 1)) / 2;
  expect(JSON.stringify(data)).toContain(`"${total}"`);

  const records = [...seen].filter(([items]) => items.includes('{'));
  expect(records).toHaveLength(callsPerLevel[0] ?? 0);
  const read = records.flatMap(([items]) => numbersIn(items));
  expect(new Set(read).size).toBe(recordCount);
  expect(read).toHaveLength(recordCount);
  expect(seen.size).toBe(callsPerLevel.reduce((sum, each) => sum + each, 0));
  // A call whose answer a kill lost is made again: at most five of them at once.
  expect(calls() - seen.size).toBeLessThanOrEqual(5 * killsAt.length);
  const { totalCostUsd } = await client.call('batches.cost', { params: { id: batchId } });
  expect(totalCostUsd).toBeGreaterThan(0);
  expect(totalCostUsd).toBeLessThanOrEqual(Number(forecast.cost?.max));
  rmSync(environment.DATA_DIR, { recursive: true, force: true });
}, 240_000);
