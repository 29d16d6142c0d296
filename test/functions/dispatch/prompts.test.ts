import { expect, test } from 'vitest';
import { createFlow, expectStatus } from '../../support/flows/flows.ts';
import { openEvents } from '../../support/stack/sse.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const prompt = (model: string, config: object) => ({
  type: 'prompt',
  name: 'ask',
  config: { model: `generic-openai/${model}`, ...config },
});
const body = (steps: object[], more: object = {}, options: object = { streamResponse: false }) => ({
  body: { flow: { steps }, ...more, options },
});
const run = ({ call }: Tenant, steps: object[], more: object = {}) =>
  expectStatus(200, call('POST', '/v1/dispatch', body(steps, more)));
const callsOf = (...calls: { name: string; arguments: object }[]) => JSON.stringify(calls);

const doubler = {
  name: 'Double a number',
  description: 'Doubles n',
  toolType: 'custom',
  parametersSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  config: { code: 'return input.n * 2' },
};
const createTool = async ({ call }: Tenant, tool: object): Promise<string> =>
  (await expectStatus(200, call('POST', '/v1/tools', { body: tool }))).id;

test('a prompt’s model calls stored and built-in tools, gets their results, and answers', async () => {
  const tenant = await newTenant();
  const toolId = await createTool(tenant, doubler);
  const text = callsOf(
    { name: 'Double_a_number', arguments: { n: 21 } },
    { name: 'Double_a_number', arguments: { n: 'x' } },
  );
  const result = await run(tenant, [
    prompt('tool-caller', { text, tools: { toolIds: [toolId, 'builtin:date-time'] } }),
  ]);
  expect(result).toMatchObject({ success: true, steps: [{ modelUsed: 'generic-openai/tool-caller' }] });
  expect(result.output).toContain('The tools returned 42 and ');
  expect(result.output).toContain('The arguments do not fit the tool Double_a_number: n');
  const usage = await expectStatus(200, tenant.call('GET', '/v1/model-usage'));
  expect(usage.summary.totalRequests).toBe(2);
});

test('the stream shows each tool call with its input and its result', async () => {
  const tenant = await newTenant();
  const toolId = await createTool(tenant, doubler);
  const text = callsOf({ name: 'Double_a_number', arguments: { n: 4 } });
  const asked = body([prompt('tool-caller', { text, tools: { toolIds: [toolId] } })], {}, {});
  const { events: frames } = await openEvents(tenant.token, '/v1/dispatch', asked.body);
  const events = (await Array.fromAsync(frames)).map(({ data }) => data);
  const types = events.map(({ type }) => type).filter((type) => type !== 'ping');
  expect([...new Set(types)]).toEqual([
    'execution_start',
    'step_start',
    'tool_start',
    'tool_input_delta',
    'tool_input_complete',
    'tool_complete',
    'text_start',
    'text_delta',
    'text_complete',
    'step_complete',
    'execution_complete',
  ]);
  expect(events.find(({ type }) => type === 'tool_start')).toMatchObject({
    toolName: 'Double_a_number',
    toolType: 'custom',
    toolCallId: expect.any(String),
  });
  expect(events.find(({ type }) => type === 'tool_input_complete')).toMatchObject({ parameters: { n: 4 } });
  expect(events.find(({ type }) => type === 'tool_complete')).toMatchObject({ success: true, result: 8 });
});

test('a model that never stops calling tools ends at the limit and must answer', async () => {
  const tenant = await newTenant();
  const always = {
    ...doubler,
    name: 'always',
    parametersSchema: { type: 'object' },
    config: { code: 'return 1' },
  };
  const toolId = await createTool(tenant, always);
  const tools = { toolIds: [toolId], maxToolCalls: 3 };
  const { output } = await run(tenant, [prompt('tool-lover', { text: 'x', tools })]);
  expect(output).toBe('That is enough.');
  const usage = await expectStatus(200, tenant.call('GET', '/v1/model-usage'));
  expect(usage.summary.totalRequests).toBe(4);
});

test('refused tool calls count too: a model that only makes such calls ends at the limit', async () => {
  const tenant = await newTenant();
  const [always, limited] = await Promise.all(
    ['Always', 'Limited'].map((name) => createTool(tenant, { ...doubler, name, parametersSchema: {} })),
  );
  const outputOf = async (model: string, tools: object) =>
    (await run(tenant, [prompt(model, { text: 'x', tools: { maxToolCalls: 3, ...tools } })])).output;
  expect(await outputOf('tool-inventor', { toolIds: [always] })).toBe('That is enough.');
  const perToolLimits = { Limited: { maxCalls: 1 } };
  expect(await outputOf('tool-lover', { toolIds: [limited], perToolLimits })).toBe('That is enough.');
  const usage = await expectStatus(200, tenant.call('GET', '/v1/model-usage'));
  expect(usage.summary.totalRequests).toBe(8);
}, 20_000);

test('a tool that does not exist, and one that only the caller can run, fail the step with a sentence', async () => {
  const tenant = await newTenant();
  const local = { ...doubler, toolType: 'local', config: {} };
  const toolId = await createTool(tenant, local);
  const unknown = toolId.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const errorWith = async (id: string) =>
    (await run(tenant, [prompt('tool-caller', { text: '[]', tools: { toolIds: [id] } })])).error;
  expect(await errorWith(unknown)).toContain(`There is no tool ${unknown}`);
  expect(await errorWith(toolId)).toContain('use it in a step of the type tool-call');
});

test('403 for an inline prompt with tools without TOOLS:EXECUTE, and without what a tool does', async () => {
  const owner = await newTenant();
  const { userId } = owner;
  const steps = [prompt('tool-caller', { text: '[]', tools: { toolIds: ['builtin:date-time'] } })];
  const missing = async (permissions: string[]) => {
    const tenant = await newTenant({ userId, permissions });
    const { status, body: answer } = await tenant.call('POST', '/v1/dispatch', body(steps));
    return status === 403 ? answer.details : status;
  };
  expect(await missing(['FLOWS:EXECUTE'])).toBe('Missing required permission: TOOLS:EXECUTE');
  expect(await missing(['FLOWS:EXECUTE', 'TOOLS:EXECUTE'])).toBe(200);
});

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};

test('a response that does not fit its JSON Schema is requested once more, with its errors', async () => {
  const tenant = await newTenant();
  const responseFormat = { type: 'json', schema };
  const { output, steps } = await run(tenant, [prompt('json-corrector', { text: 'x', responseFormat })]);
  expect(output).toEqual({ n: 1 });
  expect(steps[0].promptTokens).toBeGreaterThan(0);
  const usage = await expectStatus(200, tenant.call('GET', '/v1/model-usage'));
  expect(usage.summary.totalRequests).toBe(2);
  const failed = await run(tenant, [prompt('any', { text: 'x', responseFormat })]);
  expect(failed.error).toContain('does not fit the schema of responseFormat, after one correction');
});

test('an invalid JSON Schema is a 400 with its path, and nothing is stored', async () => {
  const tenant = await newTenant();
  const responseFormat = { type: 'json', schema: { type: 'objekt' } };
  const flowSteps = [prompt('any', { text: 'x', responseFormat })];
  const answer = await expectStatus(
    400,
    tenant.call('POST', '/v1/flows', { body: { name: 'f', flowSteps } }),
  );
  expect(answer.details[0]).toMatchObject({
    path: expect.stringMatching(/^flowSteps\.0\.config\.responseFormat\.schema/),
    code: 'INVALID_SCHEMA',
  });
});

test('messages and attachments carry images and files to the model', async () => {
  const tenant = await newTenant();
  const image = `data:image/png;base64,${pixel}`;
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image', image },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'I see' }] },
  ];
  const config = {
    text: 'And this?',
    previousMessages: '{{ messages }}',
    attachments: [{ type: 'image', image: '{{ photo }}', mimeType: 'image/png' }],
  };
  const { output } = await run(tenant, [prompt('mirror', config)], { messages, inputs: { photo: pixel } });
  const sent = JSON.parse(output).messages;
  const part = { type: 'image_url', image_url: { url: image } };
  expect(sent).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: 'See' }, part] },
    { role: 'assistant', content: 'I see' },
    { role: 'user', content: [part, { type: 'text', text: 'And this?' }] },
  ]);
});

test('a stored asset is read by its URL; a private address is refused', async () => {
  const tenant = await newTenant();
  const store = {
    type: 'store-asset',
    name: 'store',
    config: { content: pixel, filename: 'a.png', visibility: 'private', outputVariable: 'file' },
  };
  const ask = (url: string) => prompt('mirror', { text: 'x', attachments: [{ type: 'image', image: url }] });
  const { output } = await run(tenant, [store, ask('{{ file.url }}')]);
  expect(JSON.parse(output).messages.at(-1).content[0]).toMatchObject({
    image_url: { url: `data:image/png;base64,${pixel}` },
  });
  const { error } = await run(tenant, [ask('http://127.0.0.1:8099/x.png')]);
  expect(error).toContain('is not a public address');
});

test.each([
  [[{ role: 'user', content: [{ type: 'image' }] }], 'messages.0.content.0.image'],
  [[{ role: 'user', content: [{ type: 'video', data: 'x' }] }], 'messages.0.content.0.type'],
  [[{ role: 'robot', content: 'x' }], 'messages.0.role'],
])('400 with the path for a message like %j', async (messages, path) => {
  const tenant = await newTenant();
  const answer = await tenant.call(
    'POST',
    '/v1/dispatch',
    body([prompt('any', { text: 'x' })], { messages }),
  );
  expect(answer).toMatchObject({ status: 400, body: { details: [{ path }] } });
});

test('the reasoning effort reaches the model', async () => {
  const tenant = await newTenant();
  const sentWith = async (reasoning: unknown) =>
    JSON.parse((await run(tenant, [prompt('mirror', { text: 'x', reasoning })])).output).reasoning_effort;
  expect(await sentWith(true)).toBe('medium');
  expect(await sentWith({ enabled: true, reasoningEffort: 'high' })).toBe('high');
  expect(await sentWith(undefined)).toBeUndefined();
});

test('a stored flow keeps the tools and the schema of its prompts', async () => {
  const tenant = await newTenant();
  const config = {
    text: 'x',
    responseFormat: { type: 'json', schema },
    tools: { toolIds: ['builtin:date-time'] },
  };
  const flow = await createFlow(tenant, [prompt('any', config)]);
  expect(flow.flowSteps[0].config).toMatchObject(config);
});
