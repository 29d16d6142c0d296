import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { startModelStandIn } from '../../../examples/model-stand-in.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { createClient, type Schemas } from '../../../packages/client/src/client.ts';
import { scriptedAnswer } from '../../support/models/scripted-model.ts';
import { startEffects } from '../../support/servers/effects-server.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { killAll, newDirectory, start } from '../../support/stack/processes.ts';

const recordCount = Number(process.env.CHAOS_ACT_RECORDS ?? 40);
const killCount = Number(process.env.CHAOS_ACT_KILLS ?? 4);

// Every fifth answer of the model fails, so that prompts are tried again after their tools have acted.
const models = await startModelStandIn({
  delayMs: 40,
  failurePercent: 20,
  answer: (request) => scriptedAnswer(request),
});
const effects = await startEffects(60);
afterAll(async () => {
  await models.close();
  effects.close();
});
afterEach(killAll);

const clientOf = ({ url, liveKey }: StackFacts) => createClient({ baseUrl: url, apiKey: liveKey });
type Client = ReturnType<typeof clientOf>;

/** A prompt whose model charges twice, a request, and a call of a tool: each for the record, each tried up to three times. */
async function stepsFor({ call }: Client): Promise<Schemas.FlowSteps> {
  const parametersSchema = { type: 'object', properties: { n: { type: 'string' } } };
  const { id: toolId } = await call('tools.create', {
    body: {
      toolType: 'external',
      name: 'charge',
      description: 'Charges',
      parametersSchema,
      config: { url: `${effects.url}/charge/{{ n }}`, method: 'POST' },
    },
  });
  const retry = { maxAttempts: 3, initialDelayMs: 10 };
  const turn = (n: number) => `{"toolCalls":[{"name":"charge","arguments":{"n":"{{ _record.name }}-${n}"}}]}`;
  return [
    {
      type: 'prompt',
      name: 'ask',
      retry,
      config: {
        model: 'generic-openai/scripted',
        userPrompt: `[${turn(1)},${turn(2)},{"text":"charged"}]`,
        tools: { toolIds: [toolId] },
      },
    },
    {
      type: 'api-call',
      name: 'send',
      retry,
      config: { http: { url: `${effects.url}/send/{{ _record.name }}`, method: 'POST', body: { n: 1 } } },
    },
    {
      type: 'tool-call',
      name: 'pay',
      retry,
      config: { toolId, parameters: { n: '{{ _record.name }}-pay' } },
    },
  ];
}

async function startBatch(client: Client): Promise<string> {
  const { call } = client;
  const flow = await call('flows.create', { body: { name: 'Acts', flowSteps: await stepsFor(client) } });
  await call('flows.publish', { params: { id: flow.id } });
  const rows = Array.from({ length: recordCount }, (_, n) => `r${n}`);
  const file = new File([`name\n${rows.join('\n')}\n`], 'records.csv');
  await call('records.upload-csv', { body: { file, nameColumn: 'name', typeValue: 'thing' } });
  const given = { params: { id: flow.id }, body: { recordType: 'thing' } };
  return (await call('flows.run-on-record-type', given)).batchId;
}

const statusOf = ({ call }: Client, batchId: string) => call('batches.status', { params: { id: batchId } });

const ended = (client: Client, batchId: string) =>
  eventually(async () => {
    const status = await statusOf(client, batchId);
    expect(['completed', 'failed', 'partial']).toContain(status.status);
    return status;
  }, 240_000);

test(`what acts is done once, with one key, when the process is killed ${killCount} times, and after a retry of the batch`, async () => {
  const environment = {
    DATA_DIR: newDirectory(),
    GENERIC_OPENAI_BASE_URL: models.url,
    LOCAL_ALLOWED_HOSTS: effects.host,
    RATE_LIMIT_PER_HOUR: '1000000',
    RATE_LIMIT_PER_DAY: '1000000',
  };
  let stack = await start(environment);
  const batchId = await startBatch(clientOf(stack.facts));
  for (let kills = 0; kills < killCount; kills++) {
    const before = effects.calls.size;
    await eventually(() => expect(effects.calls.size).toBeGreaterThan(before));
    await sleep(Math.random() * 400);
    stack.child.kill('SIGKILL');
    stack = await start(environment);
  }
  const client = clientOf(stack.facts);
  const first = await ended(client, batchId);
  expect(first.processedRecords).toBe(recordCount);
  await client.call('batches.retry', { params: { id: batchId }, body: {} }).then(
    (again) => ended(client, again.batchId),
    (refused) => expect(String(refused.message)).toMatch(/nothing to retry|OUTCOME_UNKNOWN|taken effect/),
  );
  const numbers = { failed: first.failedRecords, effects: effects.calls.size };
  if (process.env.CHAOS_ACT_RECORDS) process.stdout.write(`${JSON.stringify(numbers)}\n`);
  for (const [name, keys] of effects.calls) {
    expect([name, keys.length]).toEqual([name, 1]);
    expect(keys[0]).toBeTruthy();
  }
  const all = [...effects.calls.values()].flat();
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(2 * recordCount);
}, 400_000);
