import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Span } from '../../../shared/domain/runs/trace.ts';
import { genAiAnswer, genAiMessages } from '../../../shared/execution/traces/messages.ts';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus, publishedFlow } from '../../support/flows/flows.ts';
import { getTrace } from '../../support/flows/run-traces.ts';
import { newConfig } from '../../support/models/model-configs.ts';
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
  const messages = genAiMessages([
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
  for (const reason of reasons) z.array(OutputMessage).parse(genAiAnswer('said', reason));
});
