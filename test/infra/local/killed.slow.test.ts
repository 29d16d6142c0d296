import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type ChatRequest, lastText } from '../../../examples/model-stand-in.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { createClient, type Schemas } from '../../../packages/client/src/client.ts';
import { modelServer } from '../../support/models/model-server.ts';
import { childProcessIds, killAll, killTree, newDirectory, start } from '../../support/stack/processes.ts';

afterEach(killAll);

const environmentOf = (models: { url: string }) => ({
  DATA_DIR: newDirectory(),
  GENERIC_OPENAI_BASE_URL: models.url,
  RATE_LIMIT_PER_HOUR: '100000',
  RATE_LIMIT_PER_DAY: '100000',
});
const clientOf = ({ url, liveKey }: StackFacts) => createClient({ baseUrl: url, apiKey: liveKey });
type Client = ReturnType<typeof clientOf>;

const ask = (name: string, userPrompt: string): Schemas.PromptStep => ({
  type: 'prompt',
  name,
  config: { model: 'generic-openai/any', userPrompt },
});

/** Ways to have a flow run, with how many records it then runs on. */
const ways: Record<
  string,
  [records: number, begin: (client: Client, flow: string, ids: string[]) => Promise<unknown>]
> = {
  'a type of few': [
    6,
    ({ call }, id) => call('flows.run-on-record-type', { params: { id }, body: { recordType: 'few' } }),
  ],
  'a type of many': [
    30,
    ({ call }, id) => call('flows.run-on-record-type', { params: { id }, body: { recordType: 'many' } }),
  ],
  'few that are named': [
    4,
    ({ call }, flowId, ids) => call('batches.run-flow', { body: { flowId, recordIds: ids.slice(0, 4) } }),
  ],
  'many that are named': [
    20,
    ({ call }, flowId, ids) => call('batches.run-flow', { body: { flowId, recordIds: ids.slice(0, 20) } }),
  ],
};
const waiting = 'a dispatched run that waits';

async function upload({ call }: Client, type: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => `${type} ${n},${n}`);
  const file = new File([`name,n\n${rows.join('\n')}\n`], 'records.csv');
  await call('records.upload-csv', { body: { file, nameColumn: 'name', typeValue: type } });
}

async function publish({ call }: Client, name: string): Promise<string> {
  const flowSteps = [ask('ask', `${name}: {{ _record.name }}`)];
  const { id } = await call('flows.create', { body: { name, flowSteps } });
  await call('flows.publish', { params: { id } });
  return id;
}

/** Begins a batch in each way, without waiting for any answer. */
async function beginAll(client: Client, round: string, ids: string[]): Promise<Promise<unknown>[]> {
  const flows: [string, string][] = [];
  for (const way of Object.keys(ways)) flows.push([way, await publish(client, `${round} ${way}`)]);
  const steps: Schemas.FlowSteps = [
    ask('before', `${round} ${waiting}: before`),
    { type: 'wait-until', name: 'wait', config: { delayMs: 10_500 } },
    ask('after', `${round} ${waiting}: after`),
  ];
  const flow = { name: `${round} ${waiting}`, steps };
  return [
    ...flows.map(([way, id]) => ways[way]?.[1](client, id, ids)),
    client.call('dispatch.run', { body: { flow, record: { id: ids[0] ?? '' } } }),
  ].map((begun) => Promise.resolve(begun).catch(() => {}));
}

const batchesIn = async ({ call }: Client) => {
  const { batches, recent } = await call('batches.summary');
  return [...batches, ...recent.filter(({ id }) => !batches.some((batch) => batch.id === id))];
};

/** How often a model was asked for each record of each batch. */
function callsOf(requests: readonly ChatRequest[], batch: string): Map<string, number> {
  const prompts = requests.map(lastText);
  const ours = prompts.filter((prompt) => prompt.startsWith(`${batch}: `));
  return new Map([...Map.groupBy(ours, (prompt) => prompt)].map(([prompt, calls]) => [prompt, calls.length]));
}

async function prepared(environment: Record<string, string>) {
  const stack = await start(environment);
  const client = clientOf(stack.facts);
  await upload(client, 'few', 6);
  await upload(client, 'many', 30);
  const { data } = await client.call('records.list', { query: { limit: 100 } });
  return { stack, ids: data.map(({ id }) => id) };
}

/** How the batches stand when all are over, or when that is taking too long. */
async function whenOver(facts: StackFacts): Promise<Awaited<ReturnType<typeof batchesIn>>> {
  for (let look = 0; ; look++) {
    const batches = await batchesIn(clientOf(facts));
    const isOver = batches.every(({ status }) => status !== 'scheduled' && status !== 'running');
    if (isOver || look === 300) return batches;
    await sleep(200);
  }
}

test('batches whose process dies before sending their messages run after the next start', async () => {
  const models = await modelServer();
  const environment = environmentOf(models);
  const { stack, ids } = await prepared(environment);
  // From now on nobody takes messages: each request stands where its batch exists and nobody knows of it.
  const [queues = 0] = childProcessIds(stack.child, 'queue-server.ts');
  process.kill(queues, 'SIGSTOP');
  await beginAll(clientOf(stack.facts), 'frozen', ids);
  while ((await batchesIn(clientOf(stack.facts))).length < 5) await sleep(50);
  killTree(stack.child);

  const { facts } = await start(environment);
  const batches = await whenOver(facts);
  expect(batches.map(({ status, failedRecords }) => [status, failedRecords])).toEqual(
    Array.from({ length: 5 }, () => ['completed', 0]),
  );
  for (const [way, [count]] of Object.entries(ways)) {
    const calls = callsOf(models.requests, `frozen ${way}`);
    expect([way, calls.size, Math.max(...calls.values())]).toEqual([way, count, 1]);
  }
  expect([...callsOf(models.requests, `frozen ${waiting}`).values()]).toEqual([1, 1]);
}, 120_000);

test('started batches complete after a kill at any time, each record exactly once', async () => {
  const models = await modelServer({ delayMs: 5 });
  const environment = environmentOf(models);
  let { stack, ids } = await prepared(environment);
  const pauses = [0, 100];
  for (const afterMs of pauses) {
    const begun = await beginAll(clientOf(stack.facts), `after ${afterMs}`, ids);
    // Those that are named are accepted at once, the others answered later.
    await Promise.race([begun[2], begun[3]]);
    await sleep(afterMs);
    killTree(stack.child);
    stack = await start(environment);
  }
  const batches = await whenOver(stack.facts);
  expect(batches.length).toBeGreaterThanOrEqual(pauses.length);
  for (const { status, failedRecords, processedRecords, totalRecords, flowName } of batches) {
    expect({ status, failedRecords, processedRecords }).toEqual({
      status: 'completed',
      failedRecords: 0,
      processedRecords: totalRecords,
    });
    // A call that was under way when its process died is made again, since nobody has its answer.
    const calls = callsOf(models.requests, flowName);
    if (flowName.endsWith(waiting)) expect([...calls.values()].toSorted()[0]).toBe(1);
    else expect(calls.size).toBe(totalRecords);
    expect(Math.max(...calls.values())).toBeLessThanOrEqual(1 + pauses.length);
  }
}, 120_000);

test('a dispatched run that is killed in its second step fails with the reason, and its result can be deleted', async () => {
  const models = await modelServer();
  models.options.answer = () => {
    models.options.misbehave = 'hang';
    return 'the first';
  };
  const environment = environmentOf(models);
  const { stack, ids } = await prepared(environment);
  const [id = ''] = ids;
  const flow = { name: 'Mortal', steps: [ask('one', 'one'), ask('two', 'two')] };
  const dispatched = clientOf(stack.facts).call('dispatch.run', { body: { flow, record: { id } } });
  dispatched.catch(() => {});
  while (models.requests.length < 2) await sleep(20);
  killTree(stack.child);

  const { facts } = await start(environment);
  const { call } = clientOf(facts);
  const results = () => call('records.results', { params: { id } });
  while ((await results()).data.length === 0) await sleep(50);
  const [result] = (await results()).data;
  expect(result).toMatchObject({ status: 'failed', recordId: id });
  const steps = await call('records.step-results', { params: { id } });
  expect(steps.data.map(({ stepName, status }) => [stepName, status])).toEqual([['one', 'completed']]);
  await call('records.delete-result', { params: { id }, body: { resultId: result?.id ?? '' } });
  expect((await results()).data).toEqual([]);
}, 60_000);
