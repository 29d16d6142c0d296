import { randomUUID } from 'node:crypto';
import { expect, inject, test, vi } from 'vitest';
import { handler } from '../../functions/dispatch/run.ts';
import { a2aPort } from '../../shared/adapters/a2a-client/a2a-adapter.ts';
import { calls, createScriptedAgent, scripted, streamed } from '../support/agents/agent-runs.ts';
import { newSecret } from '../support/data/secrets.ts';
import { createRecords, expectStatus, publishedFlow, runFlowOnRecords } from '../support/flows/flows.ts';
import { type WebAnswer, type WebRequest, web } from '../support/servers/web.ts';
import { deliveries, sendWebhook, signatureSettings, webhookWorld } from '../support/servers/webhooks.ts';
import { eventually } from '../support/stack/eventually.ts';
import { newKey } from '../support/stack/keys.ts';
import { call as anonymous, callerWith, newTenant, type Tenant } from '../support/stack/stack.ts';
import { invokeStreaming, readStreamedAnswer } from '../support/stack/streamed.ts';
import { a2aWorld } from '../support/surfaces/a2a-surface.ts';
import { webhookSurface } from '../support/surfaces/deliveries.ts';
import { addSurfaceKey, mcpSurface, postMcp } from '../support/surfaces/mcp-surface.ts';
import { addCapability, addItem, createProduct, createSurface } from '../support/surfaces/products.ts';

/** The nearest double ends in 200, and JavaScript writes it with 000. */
const id = '7615917337495251231';
const decimal = '0.12345678901234567890123';

type World = Awaited<ReturnType<typeof openWorld>>;

/** A tenant, and one server that is an API and a model to it. Texts of JSON are sent as they are. */
async function openWorld(answer: (request: WebRequest) => string | WebAnswer | undefined = () => undefined) {
  const server = await web((request) => {
    const given = answer(request) ?? `{"id":${id},"rate":${decimal}}`;
    return typeof given === 'string' ? { type: 'application/json', body: given } : given;
  });
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', `${server.url}/v1`);
  for (const name of ['ANTHROPIC', 'GOOGLE_GENERATIVE_AI', 'MISTRAL']) {
    vi.stubEnv(`${name}_BASE_URL`, `${server.url}/v1`);
    vi.stubEnv(`${name}_API_KEY`, 'key-of-the-test');
  }
  vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', 'key-of-the-test');
  vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', server.url);
  vi.stubEnv('BEDROCK_REGION', 'eu-central-1');
  const tenant = await newTenant();
  async function dispatch(steps: object[], streamResponse: boolean): Promise<string> {
    const body = { flow: { name: 'case', steps }, options: { streamResponse } };
    const { stream, done } = invokeStreaming(handler, tenant, body);
    return (await Promise.all([readStreamedAnswer(stream), done]))[0].body;
  }
  async function run(...steps: object[]) {
    const text = await dispatch(steps, false);
    const result = JSON.parse(text);
    expect(result.status, text).toBe('completed');
    return result.output;
  }
  const runStreamed = (...steps: object[]) => dispatch(steps, true);
  return { ...server, tenant, run, runStreamed };
}

const step = (type: string, config: object, name = type) => ({ type, name, config });
const read = (url: string, outputVariable = 'order') =>
  step('api-call', { http: { url: `${url}/order` }, outputVariable }, 'read');
const post = (url: string, body: unknown) =>
  step('api-call', { http: { url: `${url}/sent`, method: 'POST', body } }, 'post');
const script = (code: string, more: object = {}) =>
  step('transform-data', { script: code, outputVariable: 'made', ...more });
const sent = ({ asked }: World) => asked.find(({ path }) => path === '/sent')?.body;

type Row = [string, (world: World) => Promise<unknown>, unknown];

const ofSteps: Row[] = [
  ['the body of an api-call', async ({ run, url }) => (await run(read(url))).body, { id, rate: decimal }],
  [
    'fetch-url',
    async ({ run, url }) => JSON.stringify(await run(step('fetch-url', { http: { url } }))),
    expect.stringContaining(id),
  ],
  [
    'the body of the next api-call, by a reference alone',
    async (world) => {
      await world.run(
        read(world.url),
        post(world.url, { id: '{{ order.body.id }}', all: '{{ order.body }}' }),
      );
      return sent(world);
    },
    `{"id":${id},"all":{"id":${id},"rate":"${decimal}"}}`,
  ],
  [
    'the body of the next api-call, inside texts',
    async (world) => {
      await world.run(
        read(world.url),
        post(world.url, { id: 'no. {{ order.body.id }} of {{ order.body.rate }}' }),
      );
      return sent(world);
    },
    `{"id":"no. ${id} of ${decimal}"}`,
  ],
  [
    'templates: texts, JSON, comparisons, sums',
    ({ run, url }) =>
      run(
        read(url),
        step('template', {
          template: `{{ order.body.id }} {{ order.body | json }} {% if order.body.id == ${id} %}same{% endif %} {% if order.body.id == 7615917337495251232 %}other{% else %}not the next{% endif %} {% if order.body.id > 5 %}more{% endif %} {{ order.body.id | plus: 1 }} {{ order.body.id | minus: 1 }} {{ order.body.id | times: 2 }} {{ order.body.rate | plus: 1 }} {{ order.body.id | size }}`,
        }),
      ),
    `${id} {"id":${id},"rate":"${decimal}"} same not the next more 7615917337495251232 7615917337495251230 15231834674990502462 1.12345678901234567890123 0`,
  ],
  [
    'templates: elements of lists',
    ({ run }) =>
      run(
        script(`[${id}n, ${id}n, 7615917337495251232n, 5]`),
        step('template', {
          template: `{{ made | sort | join: " " }}; {{ made | uniq | join: " " }}; {% if made contains ${id} %}in{% endif %}; {{ made | where: 5 | size }}; {% for x in made %}{% case x %}{% when ${id} %}hit {% else %}miss {% endcase %}{% endfor %}{{ made | sum }}`,
        }),
      ),
    `5 ${id} ${id} 7615917337495251232; ${id} 7615917337495251232 5; in; 0; hit hit miss miss 22847752012485753699`,
  ],
  [
    'a script of JavaScript, in and out',
    ({ run, url }) =>
      run(
        read(url),
        script(
          '({ id: order.body.id, next: order.body.id + 1n, text: String(order.body.id), type: typeof order.body.id, json: JSON.stringify(order.body), small: 5n, list: [order.body.id] })',
        ),
      ),
    {
      id,
      next: '7615917337495251232',
      text: id,
      type: 'bigint',
      json: `{"id":${id},"rate":"${decimal}"}`,
      small: 5,
      list: [id],
    },
  ],
  [
    'a script of TypeScript',
    ({ run, url }) =>
      run(
        read(url),
        script('const id: bigint = order.body.id; return { id, next: id + 1n };', { language: 'typescript' }),
      ),
    { id, next: '7615917337495251232' },
  ],
  [
    'conditions',
    ({ run, url }) =>
      run(
        read(url),
        step('conditional', {
          condition: `order.body.id === ${id}n`,
          trueSteps: [step('template', { template: '{{ order.body.id }}' })],
        }),
      ),
    id,
  ],
  [
    'items of a map',
    ({ run }) =>
      run(
        script(`[${id}n, ${id}n]`),
        step('map', {
          items: 'made',
          steps: [step('set-variable', { variableName: 'x', value: { id: '{{ item }}' } })],
        }),
      ),
    [{ id }, { id }],
  ],
  [
    'passes of a loop',
    ({ run, url }) =>
      run(
        read(url, 'made'),
        step('loop', {
          while: '_loop.index < 2',
          maxIterations: 3,
          steps: [script('({ body: { id: made.body.id + 1n } })')],
        }),
      ),
    { body: { id: '7615917337495251233' } },
  ],
  [
    'cursors of paginate-api',
    async ({ run, url, asked }) => {
      await run(
        step('paginate-api', {
          url: `${url}/list`,
          paginationType: 'cursor',
          cursorPath: 'next',
          entityPath: 'items',
        }),
      );
      return asked.map(({ path }) => path);
    },
    ['/list', `/list?cursor=${id}`],
  ],
  [
    'upsert-record, and the record over the API',
    async ({ run, url, tenant }) => {
      const { id: record } = await run(
        read(url),
        script('order.body'),
        step('upsert-record', { recordType: 'order', recordName: 'one', sourceVariable: 'made' }),
      );
      const { metadata } = await expectStatus(200, tenant.call('GET', `/v1/records/${record}`));
      return metadata;
    },
    { id, rate: decimal },
  ],
  [
    'the arguments of a tool step, and its answer',
    async (world) => {
      const tool = await expectStatus(
        200,
        world.tenant.call('POST', '/v1/tools', { body: refund(world.url) }),
      );
      const output = await world.run(
        read(world.url),
        step('tool-call', { toolId: tool.id, parameters: { order: '{{ order.body.id }}' } }),
      );
      return [sent(world), JSON.stringify(output)];
    },
    [`{"order":${id}}`, expect.stringContaining(id)],
  ],
];

/** A tool that sends what it gets. */
const refund = (url: string) => ({
  name: 'refund',
  description: 'Refunds an order',
  toolType: 'external',
  parametersSchema: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
  config: { url: `${url}/sent`, method: 'POST', body: { order: '{{ order }}' } },
});

test.each(ofSteps)('steps keep the digits: %s', async (_name, seen, expected) => {
  const world = await openWorld(({ path }) =>
    path.startsWith('/list') ? `{"items":[1],"next":${path.includes('cursor=') ? 'null' : id}}` : undefined,
  );
  expect(await seen(world)).toEqual(expected);
});

const sse = (...events: string[]): WebAnswer => ({
  type: 'text/event-stream',
  body: events.map((event) => `${named(event)}data: ${event}\n\n`).join(''),
});
/** Claude's events have names. */
const named = (event: string) => {
  const type = /^\{"type":"(\w+)"/.exec(event)?.[1];
  return type ? `event: ${type}\n` : '';
};

interface Provider {
  model: string;
  /** Calls `refund` with the id. */
  call: (isStreamed: boolean) => string | WebAnswer;
  say: (isStreamed: boolean) => string | WebAnswer;
}

const usage = '"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}';
const completion = (message: string, reason: string) =>
  `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant",${message}},"finish_reason":"${reason}"}],${usage}}`;
const chunk = (delta: string, reason = 'null') =>
  `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{${delta}},"finish_reason":${reason}}]}`;
const openAi = (args: string): Provider => {
  const call = `{"index":0,"id":"c1","type":"function","function":{"name":"refund","arguments":${args}}}`;
  return {
    model: 'generic-openai/m',
    call: (isStreamed) =>
      isStreamed
        ? sse(chunk(`"role":"assistant","tool_calls":[${call}]`), chunk('', '"tool_calls"'), '[DONE]')
        : completion(`"content":null,"tool_calls":[${call}]`, 'tool_calls'),
    say: (isStreamed) =>
      isStreamed
        ? sse(chunk('"content":"done"'), chunk('', '"stop"'), '[DONE]')
        : completion('"content":"done"', 'stop'),
  };
};

const claude = (content: string, reason: string) =>
  `{"id":"m","type":"message","role":"assistant","model":"m","content":[${content}],"stop_reason":"${reason}","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`;
const claudeEvents = (start: string, delta: string, reason: string) =>
  sse(
    `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}`,
    `{"type":"content_block_start","index":0,"content_block":${start}}`,
    ...(delta ? [`{"type":"content_block_delta","index":0,"delta":${delta}}`] : []),
    `{"type":"content_block_stop","index":0}`,
    `{"type":"message_delta","delta":{"stop_reason":"${reason}","stop_sequence":null},"usage":{"output_tokens":1}}`,
    `{"type":"message_stop"}`,
  );
const toolUse = (input: string) => `{"type":"tool_use","id":"c1","name":"refund","input":${input}}`;
const claudeSays = (isStreamed: boolean) =>
  isStreamed
    ? claudeEvents('{"type":"text","text":""}', '{"type":"text_delta","text":"done"}', 'end_turn')
    : claude('{"type":"text","text":"done"}', 'end_turn');

const gemini = (part: string) =>
  `{"candidates":[{"content":{"role":"model","parts":[${part}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`;
const geminiAnswer = (part: string) => (isStreamed: boolean) =>
  isStreamed ? sse(gemini(part)) : gemini(part);

const providers: [string, Provider][] = [
  ['a text, of OpenAI', openAi(JSON.stringify(`{"order":${id}}`))],
  ['an object, of servers that are nearly OpenAI', openAi(`{"order":${id}}`)],
  [
    'an object, of Claude',
    {
      model: 'anthropic/claude-sonnet-4-5',
      call: (isStreamed) =>
        isStreamed
          ? claudeEvents(
              toolUse('{}'),
              `{"type":"input_json_delta","partial_json":"{\\"order\\":${id}}"}`,
              'tool_use',
            )
          : claude(toolUse(`{"order":${id}}`), 'tool_use'),
      say: claudeSays,
    },
  ],
  [
    'an object, of Claude, at the start of its block',
    {
      model: 'anthropic/claude-sonnet-4-5',
      call: (isStreamed) =>
        isStreamed
          ? claudeEvents(toolUse(`{"order":${id}}`), '', 'tool_use')
          : claude(toolUse(`{"order":${id}}`), 'tool_use'),
      say: claudeSays,
    },
  ],
  [
    'an object, of Gemini',
    {
      model: 'google/gemini-2.5-flash',
      call: geminiAnswer(`{"functionCall":{"name":"refund","args":{"order":${id}}}}`),
      say: geminiAnswer('{"text":"done"}'),
    },
  ],
];

const bedrock = (content: string, reason: string) =>
  `{"output":{"message":{"role":"assistant","content":[${content}]}},"stopReason":"${reason}","usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}`;
/** Streamed, it writes arguments as text. */
const wholeOnly: [string, boolean, Provider] = [
  'an object, of Bedrock',
  false,
  {
    model: 'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
    call: () => bedrock(`{"toolUse":{"toolUseId":"c1","name":"refund","input":{"order":${id}}}}`, 'tool_use'),
    say: () => bedrock('{"text":"done"}', 'end_turn'),
  },
];

const tryBoth = providers.flatMap(([name, provider]) =>
  [false, true].map((isStreamed): [string, boolean, Provider] => [name, isStreamed, provider]),
);

test.each([...tryBoth, wholeOnly])(
  'arguments that are %s (streamed: %s) reach the tool and the next turn',
  async (_name, isStreamed, { model, call, say }) => {
    let turns = 0;
    const world = await openWorld(({ path, body }) => {
      if (path === '/sent') return undefined;
      const streams = path.includes('stream') || body.includes('"stream":true');
      expect(streams).toBe(isStreamed);
      turns++;
      return (turns === 1 ? call : say)(streams);
    });
    const { url, asked, run, runStreamed } = world;
    const prompt = step('prompt', { model, userPrompt: 'Hi', tools: { runtimeTools: [refund(url)] } });
    if (isStreamed) expect(await runStreamed(prompt)).toContain(`"parameters":{"order":"${id}"}`);
    else await run(prompt);
    expect(sent(world)).toBe(`{"order":${id}}`);
    const next = asked.filter(({ path }) => path !== '/sent')[1]?.body;
    // Once as the arguments, once in the answer of the tool.
    expect(next?.split(id).length, next).toBe(3);
    expect(next).not.toContain('__exact');
  },
);

const ofModels: Row[] = [
  [
    'the structured output of a model',
    ({ run }) =>
      run(
        step('prompt', {
          model: 'generic-openai/m',
          userPrompt: 'Hi',
          responseFormat: {
            type: 'json',
            schema: {
              type: 'object',
              properties: { order: { type: 'integer' }, rate: { type: 'number', minimum: 0 } },
              required: ['order', 'rate'],
              additionalProperties: false,
            },
          },
        }),
      ),
    { order: id, rate: decimal },
  ],
  [
    'the text of a model, that is JSON',
    ({ run }) => run(step('prompt', { model: 'generic-openai/m', userPrompt: 'Hi' })),
    `{"order":${id},"rate":${decimal}}`,
  ],
];

test('a model may write such a number of its structured output as a text', async () => {
  const schema = { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] };
  const { asked, run } = await openWorld(() =>
    completion(`"content":${JSON.stringify(`{"order":"${id}"}`)}`, 'stop'),
  );
  const responseFormat = { type: 'json', schema };
  const ask = step('prompt', {
    model: 'generic-openai/m',
    userPrompt: 'Hi',
    responseFormat,
    outputVariable: 'said',
  });
  expect(await run(ask, script('typeof said.order'))).toBe('bigint');
  expect(asked).toHaveLength(1);
});

test.each(ofModels)('models keep the digits: %s', async (_name, seen, expected) => {
  const world = await openWorld(() =>
    completion(`"content":${JSON.stringify(`{"order":${id},"rate":${decimal}}`)}`, 'stop'),
  );
  expect(await seen(world)).toEqual(expected);
});

/** A server of MCP by hand: its own SDK would round. */
function mcpAnswer({ body, method }: WebRequest, isStreamed: boolean): WebAnswer {
  if (method !== 'POST') return { status: 405 };
  const message = JSON.parse(body);
  if (message.id === undefined) return { status: 202 };
  const results: Record<string, string> = {
    initialize: `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
    'tools/list': `{"tools":[{"name":"get","inputSchema":{"type":"object","properties":{"order":{"type":"integer"}}}}]}`,
    'tools/call': `{"content":[{"type":"text","text":"see there"}],"structuredContent":{"id":${id},"rate":${decimal}}}`,
  };
  const result = results[message.method];
  const answer = result
    ? `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`
    : `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"error":{"code":-32601,"message":"no"}}`;
  return isStreamed ? sse(answer) : { type: 'application/json', body: answer };
}

test.each([false, true])(
  'arguments to and results of MCP servers keep their digits (streamed: %s)',
  async (isStreamed) => {
    let turns = 0;
    const { model, call, say } = openAi(`{"order":${id}}`);
    const { url, asked, run } = await openWorld((request) => {
      if (request.path === '/mcp') return mcpAnswer(request, isStreamed);
      turns++;
      const answer = (turns === 1 ? call : say)(false);
      return typeof answer === 'string' ? answer.replace('"refund"', '"m__get"') : answer;
    });
    await run(
      step('prompt', { model, userPrompt: 'Hi', tools: { mcpServers: [{ id: 'm', url: `${url}/mcp` }] } }),
    );
    expect(asked.find(({ body }) => body.includes('tools/call'))?.body).toContain(
      `"arguments":{"order":${id}}`,
    );
    const next = asked.filter(({ path }) => path.endsWith('/chat/completions'))[1]?.body;
    expect(next).toContain(JSON.stringify(`{"id":${id},"rate":"${decimal}"}`));
  },
);

test.each([false, true])('data of A2A agents keep their digits (streamed: %s)', async (streaming) => {
  const part = (data: string) => `{"data":${data}}`;
  const task = `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[${part(`{"id":${id},"rate":${decimal}}`)}]}]}`;
  const { url, asked } = await openWorld(({ body }) => {
    const answer = `{"jsonrpc":"2.0","id":${JSON.stringify(JSON.parse(body.replaceAll(id, '1')).id)},"result":{"task":${task}}}`;
    return streaming ? sse(answer) : answer;
  });
  const events = await Array.fromAsync(
    a2aPort.send({
      agent: { url: `${url}/a2a`, protocolVersion: '1.0', streaming },
      headers: {},
      parts: [{ data: { order: BigInt(id) } }],
      timeoutMs: 10_000,
      retries: 0,
      signal: new AbortController().signal,
    }),
  );
  expect(asked.find(({ path }) => path === '/a2a')?.body).toContain(`{"order":${id}}`);
  expect(events.at(-1)).toMatchObject({
    state: 'completed',
    artifacts: [{ parts: [{ data: { id: BigInt(id), rate: decimal } }] }],
  });
});

const big = BigInt(id);
/** The stack's own processes may reach it. */
function sink() {
  const url = `${inject('webhooksUrl')}/${randomUUID()}`;
  const bodies = async () =>
    ((await (await fetch(url)).json()) as { body: string }[]).map(({ body }) => body);
  return {
    url,
    bodies,
    step: (body: unknown, more: object = {}) =>
      step('api-call', { http: { url, method: 'POST', body, ...more } }, 'sink'),
  };
}
async function dispatched(tenant: Tenant, steps: object[], more: object = {}) {
  const body = { flow: { name: 'case', steps }, options: { streamResponse: false }, ...more };
  return expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
}
const made = script(`({ id: ${id}n, rate: "${decimal}" })`);

test.each([
  ['signed', deliveries.github({ body: { person: big } })],
  ['as a form of JSON', deliveries.slack({ body: { person: big } })],
])('the body of a webhook, %s', async (_name, delivery) => {
  const isForm = _name.includes('form');
  const world = await webhookWorld(signatureSettings(isForm ? 'slack' : 'github'));
  const { executionId } = await expectStatus(202, sendWebhook(world.path, delivery));
  await eventually(async () => {
    const run = await expectStatus(200, world.tenant.call('GET', `/v1/runs/${executionId}`));
    expect(run).toMatchObject({ status: 'completed', output: `Hello ${id}` });
  });
});

test('the body of a webhook with a credential goes on as it came, in the variables, to a sub-flow and to another system', async () => {
  const tenant = await newTenant();
  const { url: _url, bodies, step: send } = sink();
  const inner = await publishedFlow(tenant, [send({ order: '{{ order }}', text: 'no. {{ order }}' })]);
  const flow = await publishedFlow(tenant, [
    step('flow', { flowId: inner.id, inputs: { order: '{{ order.id }}' } }),
  ]);
  const { id: productId } = await createProduct(tenant);
  const capability = await expectStatus(
    201,
    addCapability(tenant, productId, { capabilityName: 'Greet', flowId: flow.id }),
  );
  const surface = await createSurface(tenant, productId, { type: 'webhook', status: 'active' });
  await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  const key = await addSurfaceKey(tenant, path, { environment: 'production' });
  const body = `{"order":{"id":${id}}}`;
  const { status } = await callerWith(key)('POST', `${path}/webhook/greet`, { body });
  expect(status).toBe(202);
  await eventually(async () => expect(await bodies()).toEqual([`{"order":${id},"text":"no. ${id}"}`]));
});

test('what a callback brings, and what a run keeps while it waits', async () => {
  const tenant = await newTenant();
  const hear = { ...step('wait-for-callback', { timeoutMinutes: 5, outputVariable: 'body' }), id: 'hear' };
  const after = step('template', { template: '{{ made.id }} {{ body.id | plus: 1 }} {{ body.rate }}' });
  const { executionId, waits } = await dispatched(tenant, [made, hear, after]);
  const { pathname } = new URL(waits[0].callbackUrl);
  await expectStatus(202, anonymous('POST', pathname, { body: `{"id":${id},"rate":${decimal}}` }));
  await eventually(async () =>
    expect(await expectStatus(200, tenant.call('GET', `/v1/runs/${executionId}`))).toMatchObject({
      status: 'completed',
      output: `${id} 7615917337495251232 ${decimal}`,
    }),
  );
});

test('an MCP surface: the id, the progress token, the arguments, the result', async () => {
  const { path, key } = await mcpSurface([script('({ id: person, next: person + 1n })')]);
  const call = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"greet","arguments":{"person":${id}},"_meta":{"progressToken":7615917337495251299}}}`;
  const { status, text } = await postMcp(key, path, call, { 'mcp-protocol-version': '2025-11-25' });
  expect(status, text).toBe(200);
  expect(text).toContain(`"id":${id}`);
  expect(text).toContain(`"structuredContent":{"id":${id},"next":7615917337495251232}`);
  if (text.includes('progress')) expect(text).toContain('"progressToken":7615917337495251299');
});

test('an A2A surface: the id, the data, the answer', async () => {
  const { url, key } = await a2aWorld([script('({ id: person })')]);
  const message = `{"messageId":"${randomUUID()}","role":"ROLE_USER","parts":[{"data":{"person":${id}}}]}`;
  const ask = () =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: `{"jsonrpc":"2.0","id":${id},"method":"SendMessage","params":{"message":${message}}}`,
    }).then((response) => response.text());
  const text = await ask();
  expect(text).toContain(`"id":${id}`);
  expect(text).toContain(`"data":{"id":${id}}`);
  // The same message once more is the same task.
  expect(await ask()).toContain(`"data":{"id":${id}}`);
});

test('records: the metadata, a filter, the field’s values and type, the CSV file', async () => {
  const tenant = await newTenant();
  const upsert = (name: string) =>
    step('upsert-record', { recordType: 'order', recordName: name, sourceVariable: 'made' });
  const result = await dispatched(tenant, [
    made,
    upsert('one'),
    script('({ id: 7615917337495251232n })'),
    upsert('two'),
  ]);
  expect(result.status, JSON.stringify(result)).toBe('completed');
  const get = async (path: string) => expectStatus(200, tenant.call('GET', path));
  const recordFilter = JSON.stringify({ type: 'order', where: { op: 'eq', field: 'id', value: id } });
  const listed = await get(`/v1/records?${new URLSearchParams({ recordFilter })}`);
  expect(listed.data.map(({ name }: { name: string }) => name)).toEqual(['one']);
  const { values } = await get('/v1/records/field-values?type=order&field=id');
  expect(values).toEqual(
    expect.arrayContaining([
      { value: id, count: 1 },
      { value: '7615917337495251232', count: 1 },
    ]),
  );
  expect(JSON.stringify(await get('/v1/records/schema?type=order'))).toContain(id);
  expect(await get('/v1/records/export')).toContain(id);
});

test('results of a batch', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [
    made,
    step('template', { template: '{{ made.id }}' }),
    script('made'),
  ]);
  await createRecords(tenant, 'thing', 2);
  const { batchId } = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  const { data } = await expectStatus(
    200,
    tenant.call('GET', `/v1/flows/${flow.id}/step-results?batchId=${batchId}`),
  );
  expect(data).toHaveLength(6);
  for (const { outputPreview } of data) expect(outputPreview).toContain(id);
});

test('an agent: the calculator, code that calls tools, the conversation', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    tools: {
      toolIds: ['builtin:calculator', 'builtin:json-query'],
      codeModeConfig: { toolPool: ['builtin:calculator'] },
    },
  });
  const code = `const { result } = await tools.calculator({ expression: "a + 1", variables: { a: ${id}n } }); return { result, id: ${id}n, json: JSON.stringify({ id: ${id}n }) };`;
  const data = `[{"id":${id}},{"id":7615917337495251232},{"id":5}]`;
  const turn = calls(
    ['calculator', `{"expression":"a + 1","variables":{"a":${id}}}`],
    ['run_code', { code }],
    ['json-query', `{"data":${data},"query":"$[?@.id == ${id}]"}`],
    ['json-query', `{"data":${data},"query":"$[?@.id > ${id}].id"}`],
  );
  const events = await streamed(tenant, agent.id, scripted(turn, { text: 'done' }));
  const ofCalls = events.flatMap((event) => ('toolCallId' in event ? [event] : []));
  // In the order of the calls, which end in any order.
  const results = [...Map.groupBy(ofCalls, ({ toolCallId }) => toolCallId).values()].flatMap((ofCall) =>
    ofCall.flatMap((event) => ('result' in event ? [event.result] : [])),
  );
  expect(results).toEqual([
    { result: '7615917337495251232', number: expect.anything() },
    { result: { result: '7615917337495251232', id, json: `{"id":${id}}` } },
    { values: [{ id }], count: 1, truncated: false },
    { values: ['7615917337495251232'], count: 1, truncated: false },
  ]);
});

test('the metadata of vectors', async () => {
  const { output } = await dispatched(await newTenant(), [
    script(`({ id: "a", vector: [1, 0.5], metadata: { id: ${id}n } })`),
    step('store-vector', { vectorsSource: 'made', destination: 'things' }),
    script('[1, 0.5]'),
    step('vector-search', { collection: 'things', vectorVariable: 'made' }),
  ]);
  expect(output).toMatchObject([{ metadata: { id } }]);
});

test('webhooks that we send have texts, as our responses do', async () => {
  const world = await webhookSurface({ steps: [made] });
  await expectStatus(200, world.run());
  const [received] = await world.got();
  expect(received?.body).toContain(`"output":{"id":"${id}","rate":"${decimal}"}`);
});

test('a secret of digits is masked in a number too', async () => {
  const tenant = await newTenant();
  await newSecret(tenant, { key: 'DIGITS', value: id });
  const result = await dispatched(tenant, [
    sink().step({ a: 1 }, { headers: { 'x-key': '{{secret:DIGITS}}' } }),
    made,
  ]);
  expect(result.status).toBe('completed');
  expect(JSON.stringify(result)).not.toContain(id);
});

test('a key of idempotency with bodies that differ in the last digit alone is refused', async () => {
  const { call } = await newTenant();
  const create = (digit: number) =>
    call('POST', '/v1/records', {
      body: `{"type":"a","name":"b","metadata":{"rate":0.1234567890123456789012${digit}}}`,
      headers: { 'Idempotency-Key': 'one' },
    });
  expect((await create(1)).status).toBe(201);
  expect((await create(1)).status).toBe(201);
  expect((await create(2)).status).toBe(422);
});

test('our own API refuses numbers that it would round, also for assistants by MCP', async () => {
  const tenant = await newTenant();
  const body = `{"type":"a","name":"b","metadata":{"id":${id}}}`;
  const refused = await tenant.call('POST', '/v1/records', { body });
  expect(refused).toMatchObject({
    status: 400,
    body: { details: [{ path: 'metadata.id', code: 'NUMBER_NOT_EXACT' }] },
  });
  const { key } = await newKey(tenant, { permissions: ['*'] });
  const call = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"call_operation","arguments":{"id":"records.create","body":${body}}}}`;
  const { text } = await postMcp(key, '/v1', call, { 'mcp-protocol-version': '2025-11-25' });
  expect(text).toContain(`"id":${id}`);
  expect(text).toContain('NUMBER_NOT_EXACT');
});

test('marks that others make up, and their like in texts, pass through scripts', async () => {
  const given = `{"words":{"__exact_digits__":"words"},"more":{"__exact_digits__":"5","more":${id}},"text":"__exact_digits__5"}`;
  const { run, url } = await openWorld(() => given);
  const output = await run(read(url), script('({ ...order.body, list: Object.keys(order.body.more) })'));
  expect(output).toEqual({
    words: { __exact_digits__: 'words' },
    more: { __exact_digits__: '5', more: id },
    text: '__exact_digits__5',
    list: ['__exact_digits__', 'more'],
  });
});

const misused: [string, object, RegExp][] = [
  ['sums with doubles', script('made.id + 1'), /cannot convert|BigInt|bigint/i],
  ['functions of doubles', script('Math.max(made.id, 1)'), /cannot convert|BigInt|bigint/i],
  ['the items of a map', step('map', { items: 'made.id', steps: [script('1')] }), /list/],
  ['a vector', step('store-vector', { vectorsSource: 'made.list', destination: 'd' }), /vector/],
  ['a date', step('template', { template: '{{ made.id | date: "%Y" }}' }), /template/],
  ['a condition of waiting', step('wait-until', { condition: 'made.id + 1 > 5', timeoutMs: 10 }), /./],
  [
    'a list of messages',
    step('prompt', { model: 'generic-openai/echo', userPrompt: 'x', previousMessages: '{{ made.id }}' }),
    /messages/,
  ],
];

test.each(misused)(
  'where a number beyond 2^53 has no place, the step fails in words: %s',
  async (_name, wrong, words) => {
    const made = script(`({ id: ${id}n, list: [${id}n] })`);
    const result = await dispatched(await newTenant(), [made, wrong]);
    expect(result).toMatchObject({ status: 'failed', error: expect.stringMatching(words) });
  },
);

const used: [string, object, unknown][] = [
  ['comparisons with doubles', script('made.id > 5 && made.id == made.id && !(made.id < 5)'), true],
  ['formats', script('made.id.toLocaleString("de")'), '7.615.917.337.495.251.231'],
  [
    'sorting',
    script('[made.id, 5, made.id - 1n].sort((a, b) => (a < b ? -1 : 1)).map(String)'),
    ['5', '7615917337495251230', id],
  ],
  [
    'the name of a record',
    step('upsert-record', { recordType: 't', recordName: '{{ made.id }}', sourceVariable: 'made' }),
    expect.objectContaining({ name: id, metadata: { id, list: [id] } }),
  ],
  [
    'a value in a text of JSON',
    step('template', { template: '{"id": {{ made.id }}, "all": {{ made | json }}}' }),
    `{"id": ${id}, "all": {"id":${id},"list":[${id}]}}`,
  ],
  [
    'a loop over the list',
    step('template', { template: '{% for each in made.list %}{{ each }}{% endfor %}' }),
    id,
  ],
];

test.each(used)('a number beyond 2^53 works as others do: %s', async (_name, right, output) => {
  const result = await dispatched(await newTenant(), [script(`({ id: ${id}n, list: [${id}n] })`), right]);
  expect(result.output, JSON.stringify(result)).toEqual(output);
});
