import { expect, test } from 'vitest';
import { conversationPartition } from '../../../shared/domain/conversations/conversation.ts';
import { OpenAiResponse } from '../../../shared/protocols/openai/responses/response-schemas.ts';
import { createAgent } from '../../support/agents/agents.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { openAi, requestError, served } from '../../support/models/openai.ts';
import { newKey, tenantWithKey } from '../../support/stack/keys.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';

const newCaller = async () => {
  const { tenant, key } = await tenantWithKey(['FLOWS:EXECUTE', 'AGENTS:EXECUTE']);
  return { tenant, client: openAi(key) };
};
const model = served('echo');
const mirrored = (text: string) => JSON.parse(text);

const weather = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};

test('answers a text, with what the request said', async () => {
  const { client } = await newCaller();
  const response = await client.responses.create({
    model,
    input: 'Hello',
    instructions: 'Be brief.',
    metadata: { team: 'a' },
    temperature: 0.5,
  });
  const { output_text, ...sent } = response;
  expect(OpenAiResponse.parse(sent)).toEqual(sent);
  expect(output_text).toBe('You said: Hello');
  expect(response).toMatchObject({
    id: expect.stringMatching(/^resp_[0-9a-z]{52}$/),
    object: 'response',
    status: 'completed',
    model: 'generic-openai/echo',
    instructions: 'Be brief.',
    metadata: { team: 'a' },
    temperature: 0.5,
    output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text' }] }],
    usage: { input_tokens: 5, output_tokens: 4, total_tokens: 9 },
  });
});

test('streams the events that the package’s helper puts together', async () => {
  const { client } = await newCaller();
  const stream = client.responses.stream({ model, input: 'one two three' });
  const types: string[] = [];
  const numbers: number[] = [];
  stream.on('event', ({ type, sequence_number }) => {
    types.push(type);
    numbers.push(sequence_number);
  });
  const final = await stream.finalResponse();
  expect(final.output_text).toBe('You said: one two three');
  expect([...new Set(types)]).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(types.filter((type) => type === 'response.output_text.delta').length).toBeGreaterThan(3);
  expect(numbers).toEqual(numbers.map((_, index) => index));
});

test.each([false, true])(
  'the caller runs the tools that a model calls, and continues by the id of the response (stream: %s)',
  async (stream) => {
    const { tenant, client } = await newCaller();
    const ask = { model: served('tool-caller'), tools: [weather] };
    const calls = ['Oslo', 'Bergen'].map((city) => ({ name: 'get_weather', arguments: { city } }));
    const create = async (request: object) =>
      stream
        ? client.responses.stream({ ...ask, ...request } as never).finalResponse()
        : client.responses.create({ ...ask, ...request } as never);
    const first = await create({ input: JSON.stringify(calls) });
    const made = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    expect(made).toMatchObject([
      { name: 'get_weather', arguments: '{"city":"Oslo"}', status: 'completed' },
      { name: 'get_weather', arguments: '{"city":"Bergen"}', status: 'completed' },
    ]);
    const input = made.map(({ call_id }, n) => ({
      type: 'function_call_output',
      call_id,
      output: `${n} degrees`,
    }));
    const second = await create({ previous_response_id: first.id, input });
    expect(second.output_text).toBe('The tools returned 0 degrees and 1 degrees');
    expect(second.previous_response_id).toBe(first.id);
    const { conversations } = await expectStatus(200, tenant.call('GET', '/v1/conversations'));
    expect(conversations).toHaveLength(1);
  },
);

test('a long line of responses keeps each message once, and has all of them for the next one', async () => {
  const { tenant, client } = await newCaller();
  const mirror = served('mirror');
  let previous: string | null = null;
  const words = 'x'.repeat(2_000);
  for (let n = 0; n < 12; n++) {
    const input = `${n} ${words}`;
    const { id }: { id: string } = await client.responses.create({
      model,
      input,
      previous_response_id: previous,
    });
    previous = id;
  }
  const { scopeOf } = countingRuntime();
  const { table } = scopeOf(tenant.tenant);
  const { conversations } = await expectStatus(200, tenant.call('GET', '/v1/conversations'));
  const partition = conversationPartition(conversations[0].id);
  const kept = await table.queryAll({ partition, from: 'RESPONSE#', to: 'RESPONSE#~' });
  expect(kept).toHaveLength(12);
  const sizes = kept.map((item) => JSON.stringify(item).length);
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(500);
  const last = await client.responses.create({
    model: mirror,
    input: 'And?',
    previous_response_id: previous,
  });
  const { messages } = mirrored(last.output_text);
  expect(messages).toHaveLength(25);
  expect(messages.map(({ content }: { content: string }) => content.split(' ')[0]).slice(0, 4)).toEqual([
    '0',
    'You',
    '1',
    'You',
  ]);
});

test('a history of more than 5 MB is refused in words', async () => {
  const { client } = await newCaller();
  const words = 'x'.repeat(1_900_000);
  let previous: string | null = null;
  const go = async () => {
    for (let n = 0; n < 6; n++) {
      const { id }: { id: string } = await client.responses.create({
        model,
        input: words,
        previous_response_id: previous,
      });
      previous = id;
    }
  };
  expect(await requestError(go())).toMatchObject({ status: 400, param: 'previous_response_id' });
  expect(previous).not.toBeNull();
});

test('what was said is a conversation, which responses continue; an earlier one is continued in another', async () => {
  const { tenant, client } = await newCaller();
  const mirror = served('mirror');
  const first = await client.responses.create({
    model,
    input: 'My name is Ada',
    instructions: 'Secret advice',
  });
  const second = await client.responses.create({
    model: mirror,
    input: 'Who am I?',
    previous_response_id: first.id,
  });
  expect(mirrored(second.output_text).messages).toEqual([
    { role: 'user', content: 'My name is Ada' },
    { role: 'assistant', content: 'You said: My name is Ada' },
    { role: 'user', content: 'Who am I?' },
  ]);
  const other = await client.responses.create({
    model: mirror,
    input: 'And you?',
    previous_response_id: first.id,
  });
  expect(mirrored(other.output_text).messages.map(({ content }: { content: string }) => content)).toEqual([
    'My name is Ada',
    'You said: My name is Ada',
    'And you?',
  ]);
  const { conversations } = await expectStatus(200, tenant.call('GET', '/v1/conversations'));
  expect(conversations.map(({ title }: { title: string }) => title).toSorted()).toEqual([
    'And you?',
    'My name is Ada',
  ]);
  const { id } = conversations.find(({ title }: { title: string }) => title === 'My name is Ada');
  const shown = await expectStatus(200, tenant.call('GET', `/v1/conversations/${id}`));
  const { messages } = shown.conversation ?? shown;
  expect(messages.map(({ role }: { role: string }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
  expect(JSON.stringify(messages)).not.toContain('Secret advice');
  await expectStatus(204, tenant.call('DELETE', `/v1/conversations/${id}`));
  const gone = client.responses.create({ model, input: 'Still there?', previous_response_id: second.id });
  expect(await requestError(gone)).toMatchObject({ status: 400, code: 'previous_response_not_found' });
});

test('nothing is stored with store false, nothing of others is found', async () => {
  const { tenant, client } = await newCaller();
  const unstored = await client.responses.create({ model, input: 'Forget me', store: false });
  const { conversations } = await expectStatus(200, tenant.call('GET', '/v1/conversations'));
  expect(conversations).toEqual([]);
  const stored = await client.responses.create({ model, input: 'Mine' });
  const other = await newCaller();
  const ask = (by: typeof client, previous_response_id: string) =>
    requestError(by.responses.create({ model, input: 'Go on', previous_response_id }));
  for (const refused of [
    ask(client, unstored.id),
    ask(other.client, stored.id),
    ask(client, 'resp_nothing'),
  ]) {
    expect(await refused).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    });
  }
});

test('flows and agents answer responses, and get what was said before', async () => {
  const { tenant, client } = await newCaller();
  const flow = await publishedFlow(tenant, [template('{{ message }}, after {{ messages | size }}')]);
  const first = await client.responses.create({ model: `flow/${flow.id}`, input: 'one' });
  expect(first.output_text).toBe('one, after 1');
  const next = { model: `flow/${flow.id}`, input: 'two', previous_response_id: first.id };
  expect((await client.responses.create(next)).output_text).toBe('two, after 3');
  const agent = await createAgent(tenant, { name: 'Echo', config: { model } });
  const said = await client.responses.stream({ model: `agent/${agent.id}`, input: 'Hi' }).finalResponse();
  expect(said.output_text).toBe('You said: Hi');
});

test('a format, parts and items that were sent back reach the model', async () => {
  const { client } = await newCaller();
  const schema = {
    type: 'object',
    properties: { n: { type: 'string' } },
    required: ['n'],
    additionalProperties: false,
  };
  const parsed = await client.responses.parse({
    model: served('json-corrector'),
    input: 'a number',
    text: { format: { type: 'json_schema', name: 'number', strict: true, schema } },
  });
  expect(parsed.output_parsed).toEqual({ n: 'one' });
  const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
  const { output_text } = await client.responses.create({
    model: served('mirror'),
    reasoning: { effort: 'low' },
    max_output_tokens: 50,
    input: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'First' },
      ...(parsed.output as never[]),
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url: pixel, detail: 'auto' },
        ],
      },
    ],
  });
  expect(mirrored(output_text)).toMatchObject({
    max_tokens: 50,
    reasoning_effort: 'low',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'First' },
      { role: 'assistant', content: '{"n":"one"}' },
      { role: 'user', content: [{ text: 'What is it?' }, { image_url: { url: pixel } }] },
    ],
  });
});

test.each([
  [{ input: undefined }, 'missing_required_parameter', 'input'],
  [{ input: [] }, 'invalid_value', 'input'],
  [{ input: [{ type: 'function_call_output', call_id: 'nobody', output: 'x' }] }, 'invalid_value', 'input'],
  [{ input: [{ type: 'item_reference', id: 'x' }] }, 'unsupported_parameter', 'input[0]'],
  [
    { input: [{ role: 'system', content: [{ type: 'input_image', image_url: 'x' }] }] },
    'unsupported_parameter',
    'input[0].content[0]',
  ],
  [
    { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'http://127.0.0.1/a.png' }] }] },
    'invalid_value',
    'input',
  ],
  [{ tools: [{ type: 'web_search' }] }, 'invalid_value', 'tools[0].type'],
  [{ tool_choice: { type: 'function', name: 'nobody' } }, 'invalid_value', 'tool_choice'],
  [{ background: true }, 'invalid_value', 'background'],
  [{ conversation: 'conv_1' }, 'unsupported_parameter', 'conversation'],
  [{ wizardry: 1 }, 'unknown_parameter', 'wizardry'],
])('%j is refused', async (changes, code, param) => {
  const { client } = await newCaller();
  const request = { model, input: 'hi', ...changes };
  expect(await requestError(client.responses.create(request as never))).toMatchObject({
    status: 400,
    code,
    param,
  });
});

test('errors of models and permissions are those of chat completions', async () => {
  const { client } = await newCaller();
  const ask = (name: string, stream = false) =>
    requestError(client.responses.create({ model: name, input: 'hi', stream } as never));
  expect(await ask('no-such-model')).toMatchObject({ status: 404, code: 'model_not_found' });
  expect(await ask(served('broken'), true)).toMatchObject({ status: 502, code: 'upstream_error' });
  const key = await newKey(await newTenant(), { permissions: ['AGENTS:EXECUTE'] });
  const refused = openAi(key.key).responses.create({ model, input: 'hi' });
  expect(await requestError(refused)).toMatchObject({ status: 403, code: 'insufficient_permissions' });
});

test('an answer that is longer than a conversation stores is answered whole, and stored as far as it goes', async () => {
  const { tenant, client } = await newCaller();
  const script = `return '"'.repeat(1_300_000)`;
  const flow = await publishedFlow(tenant, [{ type: 'transform-data', name: 'long', config: { script } }]);
  const response = await client.responses.create({ model: `flow/${flow.id}`, input: 'x' });
  expect(response.output_text).toHaveLength(1_300_000);
  const { conversations } = await expectStatus(200, tenant.call('GET', '/v1/conversations'));
  const { messages } = await expectStatus(
    200,
    tenant.call('GET', `/v1/conversations/${conversations[0].id}`),
  );
  const content: string = messages.at(-1).content;
  expect(content.startsWith('"'.repeat(900_000))).toBe(true);
  expect(content).toMatch(/\[Shortened: /);
});

test('what could not be stored with its answer is refused before there is one', async () => {
  const { tenant, client } = await newCaller();
  const input = '"'.repeat(1_300_000);
  const error = await requestError(client.responses.create({ model, input }));
  expect(error.status).toBe(400);
  expect((await expectStatus(200, tenant.call('GET', '/v1/runs'))).data).toEqual([]);
});
