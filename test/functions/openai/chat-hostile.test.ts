import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { chunksText, openAi, requestError, served, userMessages } from '../../support/models/openai.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { tenantWithKey } from '../../support/stack/keys.ts';
import { callerWith } from '../../support/stack/stack.ts';

const newCaller = async () => {
  const { tenant, key } = await tenantWithKey(['FLOWS:EXECUTE', 'AGENTS:EXECUTE']);
  return { tenant, key, client: openAi(key), call: callerWith(key) };
};

const called = (id: string, args = '{}') => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: args } }],
});
const result = (id: string, content: unknown = 'done') => ({ role: 'tool', tool_call_id: id, content });

const calledFunction = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } };
const functionResult = { role: 'function', name: 'f', content: 'done' };

test.each([
  [{ messages: undefined }, 'missing_required_parameter', 'messages'],
  [{ messages: [] }, 'invalid_value', 'messages'],
  [{ messages: 'hi' }, 'invalid_type', 'messages'],
  [{ messages: [{ role: 'wizard', content: 'hi' }] }, 'invalid_value', 'messages[0].role'],
  [{ messages: [{ role: 'user', content: 7 }] }, 'invalid_value', 'messages[0].content'],
  [
    { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
    'missing_required_parameter',
    'messages[0].content[0].text',
  ],
  [{ messages: [result('call_1')] }, 'invalid_value', 'messages[0].tool_call_id'],
  [
    { messages: [...userMessages('hi'), called('a'), result('b')] },
    'invalid_value',
    'messages[2].tool_call_id',
  ],
  [
    { messages: [...userMessages('hi'), called('a'), result('a'), result('a')] },
    'invalid_value',
    'messages[3].tool_call_id',
  ],
  [
    { messages: [...userMessages('hi'), called('a'), ...userMessages('and?')] },
    'invalid_value',
    'messages[2]',
  ],
  [{ messages: [...userMessages('hi'), called('a')] }, 'invalid_value', 'messages[2]'],
  [{ model: undefined }, 'missing_required_parameter', 'model'],
  [{ model: { name: 'x' } }, 'invalid_type', 'model'],
  [{ temperature: 3 }, 'invalid_value', 'temperature'],
  [{ temperature: '1' }, 'invalid_type', 'temperature'],
  [{ max_tokens: -1 }, 'invalid_value', 'max_tokens'],
  [{ wizardry: true }, 'unknown_parameter', 'wizardry'],
  [{ stream_options: { wizardry: true } }, 'unknown_parameter', 'stream_options.wizardry'],
  [{ n: 2 }, 'invalid_value', 'n'],
  [{ logprobs: true }, 'invalid_value', 'logprobs'],
  [{ functions: [{ name: 'not a name' }] }, 'invalid_value', 'functions[0].name'],
  [{ functions: [{ name: 'f' }], tools: [] }, 'invalid_value', 'tools'],
  [{ function_call: 'auto', tool_choice: 'auto' }, 'invalid_value', 'tool_choice'],
  [{ functions: [{ name: 'f' }], function_call: { name: 'nobody' } }, 'invalid_value', 'function_call'],
  [{ messages: [...userMessages('hi'), functionResult] }, 'invalid_value', 'messages[1]'],
  [
    { messages: [...userMessages('hi'), calledFunction, { ...functionResult, name: 'other' }] },
    'invalid_value',
    'messages[2]',
  ],
  [
    { messages: [...userMessages('hi'), { ...called('a'), ...calledFunction }, functionResult] },
    'invalid_value',
    'messages[1].function_call',
  ],
  [{ tools: [{ type: 'custom', custom: { name: 'c' } }] }, 'invalid_value', 'tools[0].type'],
  [
    { tools: [{ type: 'function', function: { name: 'not a name' } }] },
    'invalid_value',
    'tools[0].function.name',
  ],
  [{ tool_choice: 'required' }, 'invalid_value', 'tool_choice'],
  [{ tool_choice: { type: 'function', function: { name: 'nobody' } } }, 'invalid_value', 'tool_choice'],
  [{ response_format: { type: 'grammar' } }, 'invalid_value', 'response_format.type'],
])('%j is refused, in the form of OpenAI', async (changes, code, param) => {
  const { client } = await newCaller();
  const request = { model: served('echo'), messages: userMessages('hi'), ...changes };
  expect(await requestError(client.chat.completions.create(request as never))).toMatchObject({
    status: 400,
    type: 'invalid_request_error',
    code,
    param,
  });
});

test('what a model wrote wrongly does not keep its caller from going on', async () => {
  const { client } = await newCaller();
  const messages = [
    ...userMessages('hi'),
    called('a', '{"city":'),
    result('a', [{ type: 'text', text: 'wrong' }]),
  ];
  const answer = await client.chat.completions.create({ model: served('tool-caller'), messages } as never);
  expect(answer).toMatchObject({ choices: [{ message: { content: 'The tools returned wrong' } }] });
});

test('bodies that are no JSON, or too large, get errors of this form too', async () => {
  const { call, client } = await newCaller();
  const path = '/v1/openai/chat/completions';
  const { error } = await expectStatus(400, call('POST', path, { body: '{"model":' }));
  expect(error).toMatchObject({ code: 'invalid_json', type: 'invalid_request_error' });
  const huge = client.chat.completions.create({
    model: served('echo'),
    messages: userMessages('x'.repeat(7_000_000)),
  });
  expect(await requestError(huge)).toMatchObject({ status: 413 });
});

test('a caller that leaves a stream aborts the call, which is counted and listed as cancelled', async () => {
  const { tenant, client } = await newCaller();
  const words = Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ');
  const stream = await client.chat.completions.create({
    model: served('trickling'),
    messages: userMessages(words),
    stream: true,
  });
  const chunks = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    if (chunksText(chunks) !== '') break;
  }
  await eventually(async () => {
    const { data } = await expectStatus(200, tenant.call('GET', '/v1/runs'));
    expect(data).toMatchObject([{ name: 'generic-openai/trickling', status: 'cancelled' }]);
  });
  const usage = await expectStatus(200, tenant.call('GET', '/v1/model-usage'));
  expect(usage.summary.totalRequests).toBe(1);
});
