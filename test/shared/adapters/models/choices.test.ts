import { expect, test } from 'vitest';
import { isStrictSchema } from '../../../../shared/adapters/models/call-options.ts';
import { providers } from '../../../../shared/adapters/models/providers/providers.ts';
import type { ModelRequest } from '../../../../shared/adapters/ports/model-port.ts';
import { openaiChat } from '../../../support/providers/chat-completions.ts';
import { openaiResponses } from '../../../support/providers/responses.ts';
import { startProvider } from '../../../support/providers/stand-in.ts';
import { schema, weather } from '../../../support/providers/wire.ts';

const tools = { tools: [weather] };

test.each<[string, Partial<ModelRequest>, string]>([
  ['gpt-4o', {}, 'chat'],
  ['gpt-4o', tools, 'chat'],
  ['gpt-5-mini', { ...tools, reasoning: { effort: 'high' } }, 'chat'],
  ['gpt-5-mini', { reasoning: { summary: 'auto' } }, 'responses'],
  ['gpt-5-pro', {}, 'responses'],
  ['gpt-5.1-codex-max', {}, 'responses'],
  ['o3-deep-research', {}, 'responses'],
  ['gpt-5.6', {}, 'chat'],
  ['gpt-5.6', tools, 'responses'],
  ['gpt-5.6', { ...tools, reasoning: { effort: 'none' } }, 'chat'],
])('OpenAI’s %s with %j uses %s', (modelId, request, api) => {
  const signal = new AbortController().signal;
  const whole = { model: 'm', messages: [], streamed: false, signal, ...request };
  expect(providers.openai.apiFor(modelId, whole)).toBe(api);
});

test('a model that reasons with tools keeps its reasoning', async () => {
  const { received, ask } = await startProvider(openaiResponses);
  await ask({ model: 'gpt-5.6', ...tools, reasoning: { effort: 'high' } });
  expect(received).toMatchObject([{ path: '/responses', body: { reasoning: { effort: 'high' } } }]);
  // A summary needs a verified organization at OpenAI, so only a request for one contains it.
  expect(received[0]?.body.reasoning).toEqual({ effort: 'high' });
});

const object = (more: object) => ({ ...schema, ...more });

test.each<[string, object, boolean]>([
  ['all properties required, no others', schema, true],
  ['an optional property', object({ required: [] }), false],
  ['other properties allowed', object({ additionalProperties: true }), false],
  ['nothing said about other properties', { type: 'object', properties: {} }, false],
  ['a loose object in a list', object({ properties: { n: { items: { type: 'object' } } } }), false],
  [
    'a loose object in a union',
    object({ properties: { n: { anyOf: [{ type: ['object', 'null'] }] } } }),
    false,
  ],
  ['a loose definition', object({ $defs: { a: { properties: { b: {} } } } }), false],
  ['a keyword that strict schemas do not have', object({ allOf: [{}] }), false],
  [
    'strict objects in all places',
    object({ $defs: { a: schema }, properties: { n: { items: schema } } }),
    true,
  ],
])('a schema with %s is strict: %s', (_what, given, strict) => {
  expect(isStrictSchema(given as Record<string, unknown>)).toBe(strict);
});

test('a schema that cannot be strict is sent, but not as strict', async () => {
  const { received, ask } = await startProvider(openaiChat);
  const loose = { type: 'object', properties: { n: { type: 'integer' } } };
  await ask({ format: { type: 'json', schema: loose } });
  expect(received[0]?.body.response_format).toMatchObject({ json_schema: { strict: false, schema: loose } });
});

test('the message of an error is bounded', async () => {
  const { ask } = await startProvider(
    { ...openaiChat, failure: () => ({ error: { message: 'x'.repeat(100_000) } }) },
    {
      failing: [{ status: 400 }],
    },
  );
  const error = (await ask({}).catch((failure) => failure)) as Error;
  expect(error.message).toHaveLength(2_000);
});
