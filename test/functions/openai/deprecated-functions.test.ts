import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { expect, test } from 'vitest';
import {
  ChatCompletion,
  ChatCompletionChunk,
} from '../../../shared/protocols/openai/chat/chat-completion.ts';
import { openAi, served, userMessages } from '../../support/models/openai.ts';
import { tenantWithKey } from '../../support/stack/keys.ts';

const newClient = async () => openAi((await tenantWithKey(['FLOWS:EXECUTE'])).key);

const functions = [
  {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  { name: 'get_time' },
];
const callsOf = (...names: string[]) =>
  userMessages(JSON.stringify(names.map((name) => ({ name, arguments: { city: 'Oslo' } }))));
const model = served('tool-caller');

test('a client that knows functions alone gets function_call, and sends back its result', async () => {
  const client = await newClient();
  const asked = callsOf('get_weather', 'get_time');
  const first = await client.chat.completions.create({ model, functions, messages: asked });
  expect(ChatCompletion.parse(first)).toEqual(first);
  expect(first.choices).toMatchObject([
    {
      finish_reason: 'function_call',
      message: {
        role: 'assistant',
        content: null,
        function_call: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
      },
    },
  ]);
  expect(first.choices[0]?.message).not.toHaveProperty('tool_calls');
  const messages = [
    ...asked,
    first.choices[0]?.message as ChatCompletionMessageParam,
    { role: 'function' as const, name: 'get_weather', content: '7 degrees' },
  ];
  const second = await client.chat.completions.create({ model, functions, messages });
  expect(second.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { content: 'The tools returned 7 degrees' },
  });
});

test('streamed, the pieces of the call are put together as OpenAI’s package does', async () => {
  const client = await newClient();
  const request = { model, functions, messages: callsOf('get_weather', 'get_time'), stream: true as const };
  const chunks = await Array.fromAsync(await client.chat.completions.create(request));
  for (const chunk of chunks) expect(ChatCompletionChunk.parse(chunk)).toEqual(chunk);
  const pieces = chunks.flatMap(({ choices: [choice] }) => choice?.delta.function_call ?? []);
  expect(pieces.map(({ name }) => name).filter(Boolean)).toEqual(['get_weather']);
  expect(pieces.map(({ arguments: written }) => written).join('')).toBe('{"city":"Oslo"}');
  expect(JSON.stringify(chunks)).not.toContain('tool_calls');
  expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'function_call' });
  const final = await client.chat.completions.stream(request).finalChatCompletion();
  expect(final.choices[0]?.message.function_call).toEqual({
    name: 'get_weather',
    arguments: '{"city":"Oslo"}',
  });
});

test('the model gets functions, the choice among them, calls and results as those of tools', async () => {
  const client = await newClient();
  const answer = await client.chat.completions.create({
    model: served('mirror'),
    functions,
    function_call: { name: 'get_time' },
    messages: [
      ...userMessages('Weather?'),
      {
        role: 'assistant',
        content: 'Let me see',
        function_call: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
      },
      { role: 'function', name: 'get_weather', content: null },
      { role: 'assistant', content: null, function_call: { name: 'get_time', arguments: '' } },
      { role: 'function', name: 'get_time', content: 'noon' },
    ],
  });
  const { messages, tools, tool_choice, parallel_tool_calls } = JSON.parse(
    answer.choices[0]?.message.content ?? '',
  );
  expect(tools).toMatchObject([
    { type: 'function', function: functions[0] },
    { type: 'function', function: { name: 'get_time', parameters: { type: 'object' } } },
  ]);
  expect([tool_choice, parallel_tool_calls]).toEqual([
    { type: 'function', function: { name: 'get_time' } },
    false,
  ]);
  const [, one, ofOne, other, ofOther] = messages;
  const idOf = (message: { tool_calls: { id: string }[] }) => message.tool_calls[0]?.id;
  expect([one, ofOne, other, ofOther]).toMatchObject([
    {
      content: 'Let me see',
      tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
    },
    { role: 'tool', tool_call_id: idOf(one), content: '' },
    { tool_calls: [{ function: { name: 'get_time', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: idOf(other), content: 'noon' },
  ]);
  expect(idOf(one)).not.toBe(idOf(other));
  expect(answer.choices[0]?.finish_reason).toBe('stop');
});

test('a function_call may have no result, as before tools: the model gets an empty one', async () => {
  const client = await newClient();
  const called = {
    role: 'assistant' as const,
    content: null,
    function_call: { name: 'get_time', arguments: '{}' },
  };
  const answer = await client.chat.completions.create({
    model: served('mirror'),
    functions,
    messages: [...userMessages('Time?'), called, ...userMessages('Never mind'), called],
  });
  const { messages } = JSON.parse(answer.choices[0]?.message.content ?? '');
  expect(messages.map(({ role }: { role: string }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'user',
    'assistant',
    'tool',
  ]);
  expect(messages[2]).toMatchObject({ tool_call_id: messages[1].tool_calls[0].id, content: '' });
});

test('function_call without functions chooses nothing', async () => {
  const client = await newClient();
  for (const function_call of ['none', 'auto'] as const) {
    const request = { model: served('echo'), messages: userMessages('hi'), function_call };
    const answer = await client.chat.completions.create(request);
    expect(answer.choices[0]?.message.content).toBe('You said: hi');
  }
});
