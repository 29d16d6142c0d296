import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Span } from '../../../shared/domain/runs/trace.ts';
import { exportPayloads } from '../../../shared/domain/telemetry/run-export.ts';
import { toGenAiAnswer, toGenAiMessages } from '../../../shared/execution/traces/messages.ts';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { payloadNames } from '../../support/data/payload-bucket.ts';
import { expectStatus, publishedFlow } from '../../support/flows/flows.ts';
import { getTrace } from '../../support/flows/run-traces.ts';
import { newConfig } from '../../support/models/model-configs.ts';
import { openAi, served, userMessages } from '../../support/models/openai.ts';
import { newCollector, setTelemetry } from '../../support/servers/telemetry.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { tenantWithKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

/**
 * What OpenTelemetry's JSON schemas of messages require (gen-ai-input-messages.json, gen-ai-output-messages.json in
 * open-telemetry/semantic-conventions-genai). Stricter: they take parts of any other type, and any reason.
 */
const modality = z.enum(['image', 'video', 'audio', 'document']);
const Part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), content: z.string() }),
  z.strictObject({ type: z.literal('reasoning'), content: z.string() }),
  z.strictObject({
    type: z.literal('tool_call'),
    id: z.string().nullish(),
    name: z.string(),
    arguments: z.unknown(),
  }),
  z.strictObject({ type: z.literal('tool_call_response'), id: z.string().nullish(), response: z.json() }),
  z.strictObject({ type: z.literal('blob'), modality, mime_type: z.string().nullish(), content: z.base64() }),
  z.strictObject({ type: z.literal('uri'), modality, mime_type: z.string().nullish(), uri: z.url() }),
]);
const InputMessage = z.strictObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  parts: z.array(Part),
});
const OutputMessage = InputMessage.extend({
  finish_reason: z.enum(['stop', 'length', 'content_filter', 'tool_call', 'error']),
});
const Attributes = z.looseObject({
  'gen_ai.input.messages': z.array(InputMessage).min(1),
  'gen_ai.output.messages': z.array(OutputMessage).min(1),
  'gen_ai.response.finish_reasons': z.array(OutputMessage.shape.finish_reason).length(1),
});

const modelSpans = async (tenant: Tenant, runId: string) => {
  const { spans } = await getTrace(tenant, runId, '?include=content');
  return spans.filter(({ kind }: Span) => kind === 'model').map(({ attributes }: Span) => attributes);
};

test('a prompt and its answer are as OpenTelemetry’s conventions have them', async () => {
  const tenant = await newTenant();
  const config = { model: 'generic-openai/scripted', userPrompt: scripted({ text: 'the answer' }) };
  const flow = await publishedFlow(tenant, [{ type: 'prompt', name: 'ask', config }]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const [attributes] = await modelSpans(tenant, executionId);
  expect(Attributes.parse(attributes)).toMatchObject({
    'gen_ai.output.messages': [{ finish_reason: 'stop' }],
  });
});

test('each turn of an agent shows what the model heard that was new, and what it said', async () => {
  const tenant = await newTenant();
  const tools = { toolIds: ['builtin:calculator'] };
  const agent = await createScriptedAgent(tenant, { tools });
  const message = scripted(calls(['calculator', { expression: '1+1' }]), { text: 'two' });
  const { executionId } = await answered(run(tenant, agent.id, message));
  const spans = (await modelSpans(tenant, executionId)).map((each) => Attributes.parse(each));
  expect(spans).toHaveLength(2);
  const messages = (name: 'input' | 'output') => spans.map((span) => span[`gen_ai.${name}.messages`]);
  expect(messages('input')).toMatchObject([
    [{ role: 'user', parts: [{ type: 'text', content: message }] }],
    [{ role: 'tool', parts: [{ type: 'tool_call_response', response: expect.anything() }] }],
  ]);
  expect(messages('output')).toMatchObject([
    [{ role: 'assistant', parts: [{ type: 'tool_call', name: 'calculator' }], finish_reason: 'tool_call' }],
    [{ role: 'assistant', parts: [{ type: 'text', content: 'two' }], finish_reason: 'stop' }],
  ]);
});

/** The span of the model call in each export that came, its messages read. */
const exportedCalls = async (collector: ReturnType<typeof newCollector>, count: number) =>
  (await collector.got(count)).map(({ spans }) => {
    const { attributes = {} } =
      spans.find(({ attributes: { 'run.span.kind': kind } }) => kind === 'model') ?? {};
    const read = Object.entries(attributes).map(([name, value]) => [
      name,
      name.endsWith('.messages') ? JSON.parse(String(value)) : value,
    ]);
    return Object.fromEntries(read);
  });

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('the call of a model by itself shows a collector what it heard and said, and nothing of it is kept', async () => {
  const { tenant, key } = await tenantWithKey(['FLOWS:EXECUTE', 'FLOWS:READ']);
  const collector = newCollector();
  await setTelemetry(tenant, { endpoint: collector.endpoint, content: 'full' });
  const client = openAi(key);
  const long = 'long '.repeat(60_000);
  await client.chat.completions.create({
    model: served('echo'),
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Before' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"n":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'seven' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: pixel } },
        ],
      },
    ],
  });
  await collector.got(1);
  const response = await client.responses.create({
    model: served('echo'),
    input: long,
    instructions: 'Be brief.',
  });
  await collector.got(2);
  const stream = await client.chat.completions.create({
    model: served('echo'),
    messages: userMessages('streamed'),
    stream: true,
  });
  await Array.fromAsync(stream);
  const calls = (await exportedCalls(collector, 3)).map((each) => Attributes.parse(each));
  expect(calls).toMatchObject([
    {
      'gen_ai.input.messages': [
        { role: 'system' },
        { role: 'user', parts: [{ content: 'Before' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', arguments: { n: 1 } }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'seven' }] },
        {
          role: 'user',
          parts: [{ content: 'Look' }, { type: 'blob', modality: 'image', mime_type: 'image/png' }],
        },
      ],
      'gen_ai.output.messages': [{ role: 'assistant', finish_reason: 'stop' }],
    },
    {
      'gen_ai.input.messages': [{ role: 'system' }, { role: 'user', parts: [{ content: long }] }],
      'gen_ai.output.messages': [{ parts: [{ content: response.output_text }] }],
    },
    {
      'gen_ai.input.messages': [{ role: 'user', parts: [{ content: 'streamed' }] }],
      'gen_ai.output.messages': [{ parts: [{ content: 'You said: streamed' }] }],
    },
  ]);
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/runs'));
  const kept = await modelSpans(tenant, data[0].id);
  expect(kept).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain('messages');
  await eventually(async () => expect(await payloadNames(tenant.tenant, exportPayloads)).toEqual([]));
});

test('of a call with more than 2 MB of messages a collector gets the answer, and that the rest is omitted', async () => {
  const { tenant, key } = await tenantWithKey(['FLOWS:EXECUTE']);
  const collector = newCollector();
  await setTelemetry(tenant, { endpoint: collector.endpoint, content: 'full' });
  const messages = userMessages('long '.repeat(420_000));
  await openAi(key).chat.completions.create({ model: served('clock'), messages });
  const [call] = await exportedCalls(collector, 1);
  expect(call).toMatchObject({
    'content.omitted': true,
    'gen_ai.output.messages': [{ parts: [{ type: 'text' }] }],
  });
  expect(call).not.toHaveProperty(['gen_ai.input.messages']);
});

test('a collector without content gets no messages of a call, nor one that failed its answer', async () => {
  const { tenant, key } = await tenantWithKey(['FLOWS:EXECUTE']);
  const client = openAi(key);
  const ask = (model: string) =>
    client.chat.completions.create({ model: served(model), messages: userMessages('a word') });
  const bare = newCollector();
  await setTelemetry(tenant, { endpoint: bare.endpoint });
  await ask('echo');
  const [call] = await exportedCalls(bare, 1);
  expect(call).toMatchObject({ 'gen_ai.operation.name': 'chat' });
  expect(JSON.stringify(call)).not.toContain('messages');
  const full = newCollector();
  await setTelemetry(tenant, { endpoint: full.endpoint, content: 'full' });
  await expect(ask('refusing')).rejects.toThrow('The prompt was refused');
  const [failed] = await exportedCalls(full, 1);
  expect(failed).toMatchObject({ 'gen_ai.input.messages': [{ parts: [{ content: 'a word' }] }] });
  expect(failed).not.toHaveProperty(['gen_ai.output.messages']);
});

test('spans of embeddings have their tokens', async () => {
  const tenant = await newTenant();
  const model = 'generic-openai/embedder';
  await newConfig(tenant, { provider: 'generic-openai', modelId: 'embedder' });
  const config = { text: 'one two three', embeddingModel: model };
  const flow = await publishedFlow(tenant, [{ type: 'generate-embedding', name: 'embed', config }]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const [attributes] = await modelSpans(tenant, executionId);
  expect(attributes).toMatchObject({
    'gen_ai.operation.name': 'embeddings',
    'gen_ai.usage.input_tokens': expect.any(Number),
  });
  expect(attributes).not.toHaveProperty(['gen_ai.usage.output_tokens']);
});

test('all parts of messages, and all reasons, are as the conventions have them', () => {
  const pixel = { type: 'image' as const, image: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' };
  const bytes = new Uint8Array([1, 2]);
  const files = ['application/pdf', 'image/png', 'audio/wav', 'video/mp4'].map((mediaType) => ({
    type: 'file' as const,
    data: bytes,
    mediaType,
  }));
  const messages = toGenAiMessages([
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: [{ type: 'text', text: 'Look' }, ...files] },
    { role: 'user', content: [{ type: 'image', image: 'https://example.com/a.png' }, pixel] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'tool-call', id: 'c', name: 'f', input: {} },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-result', id: 'c', name: 'f', output: { n: 1 } }] },
  ]);
  expect(z.array(InputMessage).parse(messages)).toEqual(messages);
  const reasons = [
    'stop',
    'length',
    'content-filter',
    'tool-calls',
    'max_tool_calls',
    'interrupted',
    'error',
    undefined,
  ];
  for (const reason of reasons) z.array(OutputMessage).parse(toGenAiAnswer('said', reason));
});
