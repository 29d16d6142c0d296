import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChatRequest, lastText, startModelStandIn } from '../../examples/model-stand-in.ts';
import type { StackFacts } from '../../infra/local/stack.ts';
import { createClient, type OperationRequest } from '../../packages/client/src/client.ts';

/** A model that calls a tool when it is told to, and a server that counts what it was asked to do. */
export async function startOutside() {
  const models = await startModelStandIn({ delayMs: 60, answer: answerOf });
  const effects = new Map<string, number>();
  const server = createServer((request, response) => {
    const name = String(request.url).slice(1);
    effects.set(name, (effects.get(name) ?? 0) + 1);
    response.setHeader('content-type', 'application/json');
    request.resume().on('end', () => response.end('{"done":true}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { models, effects, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function answerOf(request: ChatRequest) {
  const n = /^charge (\S+)/.exec(lastText(request))?.[1];
  if (!n) return `It is about ${lastText(request).slice(0, 60)}. `.repeat(8);
  return { toolCalls: [{ name: 'charge', arguments: { n } }] };
}

/** What the service has acknowledged. */
export const newPromises = () => ({
  kept: new Set<string>(),
  deleted: new Set<string>(),
  /** How many records each type has. */
  uploads: new Map<string, number>(),
  /** By id: the type of its records. */
  batches: new Map<string, string>(),
  /** By effect: its run. */
  effects: new Map<string, string>(),
});

/** Called for each response. */
type Count = (operation: string, status: number, body: string) => void;

const requestMs = 60_000;
const batchSize = 300;

/** Creates what the operations use. @returns each operation with its share of a thousand. */
export async function prepareOperations(
  { url, liveKey }: StackFacts,
  host: string,
  promises: ReturnType<typeof newPromises>,
  count: Count,
) {
  const { kept, deleted, uploads, batches, effects } = promises;
  const operation = new AsyncLocalStorage<string>();
  const counted: typeof fetch = async (input, init) => {
    const response = await fetch(input, { ...init, signal: AbortSignal.timeout(requestMs) });
    const body = await response.text();
    count(operation.getStore() ?? 'other', response.status, body);
    return new Response(body === '' ? null : body, { status: response.status, headers: response.headers });
  };
  const api = createClient({ baseUrl: url, apiKey: liveKey, retries: 0, fetch: counted });
  const { call } = api;
  const post = async (path: string, body: object, key = liveKey) => {
    const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
    const response = await counted(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const isJson = response.headers.get('content-type')?.includes('application/json');
    return { status: response.status, body: isJson ? await response.json() : {} };
  };
  const { flow, batchFlow, agent, charging, webhook, tokens } = await createWorld(call, host);
  const anyKept = () =>
    [...kept][Math.floor(Math.random() * kept.size)] ?? 'record_01k9m4v7d3x8qz5w2r6t0y1hbn';
  const anyUpload = () => [...uploads.keys()].at(-1) ?? 'none';

  const operations: Record<string, [number, (n: number) => Promise<unknown>]> = {
    read: [150, () => call('records.get', { params: { id: anyKept() } })],
    list: [130, () => call('records.list', { query: { type: 'soak', limit: 20 } })],
    dispatch: [120, () => post('/v1/dispatch', { flow, inputs: { who: note }, options: whole })],
    stream: [40, () => post('/v1/dispatch', { flow, inputs: { who: 'Ada' } })],
    agent: [60, () => post(agent, { messages: user('How are you?') })],
    openai: [
      51,
      (n) => post('/v1/openai/chat/completions', { model, stream: n % 2 === 0, messages: user('Hello') }),
    ],
    export: [3, () => call('records.export', { query: { type: anyUpload() } })],
    write: [
      250,
      async (n) => {
        const body = { name: `r${n}`, type: 'soak', metadata: { n, note } };
        kept.add((await call('records.create', { body })).id);
      },
    ],
    delete: [
      40,
      async () => {
        const id = anyKept();
        kept.delete(id);
        await call('records.delete', { params: { id } });
        deleted.add(id);
      },
    ],
    charge: [
      30,
      async (n) => {
        const { body } = await post(charging, { messages: user(`charge ${n}`), options: whole });
        if (body.success) effects.set(`charge-${n}`, body.executionId);
      },
    ],
    chat: [
      40,
      async (n) => {
        const { body } = await post('/v1/client/init', { token: tokens[n % tokens.length] }, '');
        await post('/v1/client/chat', { sessionId: body.sessionId, messages: user(`Tell me of ${n}`) }, '');
      },
    ],
    webhook: [
      60,
      async (n) => {
        const { status, body } = await post(webhook, { n: String(n) });
        if (status === 202) effects.set(`webhook-${n}`, body.executionId);
      },
    ],
    approval: [
      25,
      async (n) => {
        const asked = {
          flow: { name: 'Soak', steps: [question, act(host, `approval-${n}`)] },
          options: whole,
        };
        const { status, body } = await post('/v1/dispatch', asked);
        if (status !== 200) return;
        await call('runs.answer', {
          params: { id: body.executionId },
          body: { stepId: 'ask', choice: 'approve' },
        });
        effects.set(`approval-${n}`, body.executionId);
      },
    ],
    batch: [
      1,
      async (n) => {
        const type = `batch-${n}`;
        const rows = Array.from({ length: batchSize }, (_, row) => `${n}-${row},${note}`);
        const file = new File([`name,note\n${rows.join('\n')}\n`], 'rows.csv');
        const { created } = await call('records.upload-csv', {
          body: { file, nameColumn: 'name', typeValue: type },
        });
        uploads.set(type, created);
        const { batchId } = await call('flows.run-on-record-type', {
          params: { id: batchFlow },
          body: { recordType: type },
        });
        batches.set(batchId, type);
      },
    ],
  };
  const deck = Object.entries(operations).flatMap(([name, [share, send]]) =>
    Array.from({ length: share }, () => (n: number) => operation.run(name, () => send(n))),
  );
  return { api, deck, flow };
}

const note = 'x'.repeat(300);
export const whole = { streamResponse: false };
const model = 'generic-openai/any';
const ask = (userPrompt: string) => ({ type: 'prompt', name: 'Ask', config: { model, userPrompt } });
const question = { type: 'approval', id: 'ask', name: 'Ask', config: { question: 'Go on?' } };
const user = (content: string) => [{ role: 'user', content }];
const act = (host: string, name: string) => ({
  type: 'api-call',
  name: 'Act',
  config: { http: { url: `http://${host}/${name}`, method: 'POST', body: {} } },
});

type Call = ReturnType<typeof createClient>['call'];

async function createWorld(call: Call, host: string) {
  const say = { type: 'template', name: 'Say', config: { template: 'Hello {{ who }}' } };
  const toolId = await createTool(call, host);
  const agentId = await publishAgent(call, {});
  const chargingId = await publishAgent(call, { tools: { toolIds: [toolId] } });
  const newToken = async () => {
    const limits = { rateLimitPerMinute: 1_000, rateLimitPerHour: 10_000 };
    const body = { name: 'Soak', agentIds: [agentId], allowedOrigins: ['*'], ...limits };
    return (await call('client-tokens.create', { body })).token;
  };
  return {
    flow: { id: await publishFlow(call, say, ask('Greet {{ who }}')) },
    batchFlow: await publishFlow(
      call,
      ask('Tell of {{ _record.name }}'),
      act(host, 'batch-{{ _record.name }}'),
    ),
    agent: `/v1/agents/${agentId}/execute`,
    charging: `/v1/agents/${chargingId}/execute`,
    webhook: await createWebhook(call, await publishFlow(call, act(host, 'webhook-{{ n }}'))),
    // One takes 50 streams a minute of an address.
    tokens: [await newToken(), await newToken(), await newToken(), await newToken()],
  };
}

async function publishFlow(call: Call, ...steps: object[]): Promise<string> {
  const flowSteps = steps as NonNullable<OperationRequest<'flows.create'>['body']['flowSteps']>;
  const { id } = await call('flows.create', { body: { name: 'Soak', flowSteps } });
  await call('flows.publish', { params: { id } });
  return id;
}

async function publishAgent(call: Call, more: object): Promise<string> {
  const config = { model, systemPrompt: 'Be brief.', ...more };
  const { id } = await call('agents.create', { body: { name: 'Soak', config } });
  await call('agents.publish', { params: { id } });
  return id;
}

async function createTool(call: Call, host: string): Promise<string> {
  const parametersSchema = { type: 'object', properties: { n: { type: 'string' } } };
  const config = { url: `http://${host}/charge-{{ n }}`, method: 'POST' } as const;
  const given = { toolType: 'external', name: 'charge', description: 'Charges' } as const;
  return (await call('tools.create', { body: { ...given, parametersSchema, config } })).id;
}

async function createWebhook(call: Call, flowId: string): Promise<string> {
  const { id } = await call('products.create', { body: { name: 'Soak' } });
  const capability = { capabilityName: 'act', flowId };
  const { id: capabilityId } = await call('products.add-capability', { params: { id }, body: capability });
  const body = { name: 'Soak', type: 'webhook', status: 'active' } as const;
  const { id: surfaceId } = await call('surfaces.create', { params: { id }, body });
  const item = { capabilityId, endpointSlug: 'act' };
  await call('surfaces.add-item', { params: { id, surfaceId }, body: item });
  return `/v1/products/${id}/surfaces/${surfaceId}/webhook/act`;
}
