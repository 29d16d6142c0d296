import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { openAi, requestError, served, userMessages } from '../../support/models/openai.ts';
import { tenantWithKey } from '../../support/stack/keys.ts';
import { callerWith } from '../../support/stack/stack.ts';

const newCaller = async () => {
  const { key } = await tenantWithKey(['FLOWS:EXECUTE']);
  return { client: openAi(key), call: callerWith(key) };
};

const weather = { name: 'weather', parameters: { type: 'object', properties: {} } };

interface Changes {
  called?: object;
  call?: object;
  assistant?: object;
  tool?: object;
  user?: object;
  part?: object;
  definition?: object;
}

/** A conversation with a call, as clients send it back. */
const conversation = ({ called, call, assistant, tool, user, part, definition }: Changes) => ({
  model: served('mirror'),
  tools: [{ type: 'function', function: weather, ...definition }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Weather?', ...part }], ...user },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}', ...called }, ...call },
      ],
      ...assistant,
    },
    { role: 'tool', tool_call_id: 'c1', content: 'rain', ...tool },
  ],
});

const signature = { google: { thought_signature: 'c2lnbmF0dXJl' } };
const ephemeral = { type: 'ephemeral' };

test.each<[string, Changes]>([
  ['LangChain.js, CrewAI, instructor, go-openai: the name of the tool', { tool: { name: 'weather' } }],
  ['what OpenAI’s stream() puts together', { call: { index: 0 }, assistant: { index: 0 } }],
  ['what OpenAI’s parse() adds', { called: { parsed_arguments: {} }, assistant: { parsed: null } }],
  [
    'OpenAI’s package for Python: null for none',
    { assistant: { audio: null, function_call: null, refusal: null } },
  ],
  ['a call without a type', { call: { type: undefined } }],
  ['go-openai: no arguments, for a tool without any', { called: { arguments: undefined } }],
  [
    'thoughts of other servers',
    { assistant: { reasoning: 'hm', reasoning_content: 'hm', reasoning_details: [{}] } },
  ],
  [
    'LiteLLM',
    { assistant: { provider_specific_fields: null, thinking_blocks: [{}] }, tool: { name: 'weather' } },
  ],
  ['LiteLLM: signatures of calls', { call: { provider_specific_fields: { thought_signature: 'x' } } }],
  [
    'AI SDK: signatures of Gemini',
    { call: { extra_content: signature }, assistant: { extra_content: signature } },
  ],
  ['clients for Claude', { part: { cache_control: ephemeral }, tool: { cache_control: ephemeral } }],
  ['clients for Claude: tools', { definition: { cache_control: ephemeral } }],
  ['CrewAI: marks for caches', { user: { cache_breakpoint: true } }],
  ['marks of OpenAI', { part: { prompt_cache_breakpoint: { mode: 'explicit' } } }],
  ['ids that clients give', { user: { id: 'm1' }, assistant: { id: 'm2' }, part: { id: 'p1', index: 0 } }],
  ['Ollama’s name of the tool', { tool: { tool_name: 'weather' } }],
])('takes and drops what clients send back: %s', async (_client, changes) => {
  const { client } = await newCaller();
  const { choices } = await client.chat.completions.create(conversation(changes) as never);
  const got = JSON.parse(choices[0]?.message.content ?? '');
  const plain = await client.chat.completions.create(conversation({}) as never);
  expect(got).toEqual(JSON.parse(plain.choices[0]?.message.content ?? ''));
  expect(got.messages).toHaveLength(3);
});

test('takes the URL of an image as a text, and a number as the user', async () => {
  const { client } = await newCaller();
  const pixel =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const seen = async (image_url: unknown) => {
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url }] }];
    const asked = { model: served('mirror'), user: 17, messages };
    const { choices } = await client.chat.completions.create(asked as never);
    return JSON.parse(choices[0]?.message.content ?? '').messages;
  };
  expect(await seen(pixel)).toEqual(await seen({ url: pixel }));
});

test.each<[string, Changes, string]>([
  ['an unknown member', { user: { wizardry: 1 } }, 'messages[0].wizardry'],
  ['an unknown member of a call', { call: { wizardry: 1 } }, 'messages[1].tool_calls[0].wizardry'],
  ['a beginning of the answer', { assistant: { prefix: true } }, 'messages[1].prefix'],
  ['an earlier answer by voice', { assistant: { audio: { id: 'a' } } }, 'messages[1].audio'],
  ['images of the assistant', { assistant: { images: [{}] } }, 'messages[1].images'],
  ['a call of a custom tool', { call: { type: 'custom' } }, 'messages[1].tool_calls[0].type'],
])('what would change the answer stays an error: %s', async (_what, changes, param) => {
  const { client } = await newCaller();
  const failed = await requestError(client.chat.completions.create(conversation(changes) as never));
  expect(failed).toMatchObject({ status: 400, param });
});

test('a tool without a result has an empty one, and thoughts among the texts of the assistant are dropped', async () => {
  const { client } = await newCaller();
  const changes = {
    tool: { content: null },
    assistant: {
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'x' },
        { type: 'text', text: 'Let me see' },
      ],
    },
  };
  const { choices } = await client.chat.completions.create(conversation(changes) as never);
  const [, assistant, tool] = JSON.parse(choices[0]?.message.content ?? '').messages;
  expect(assistant.content).toBe('Let me see');
  expect(tool.content).toBe('');
});

test('what OpenAI’s package has parsed or streamed can be sent back as it is', async () => {
  const { client } = await newCaller();
  const asked = userMessages(JSON.stringify([{ name: 'weather', arguments: {} }]));
  const tools = [{ type: 'function' as const, function: { ...weather, strict: true } }];
  const ask = { model: served('tool-caller'), tools };
  const parsed = await client.chat.completions.parse({ ...ask, messages: asked });
  const streamed = await client.chat.completions.stream({ ...ask, messages: asked }).finalMessage();
  const messages = [parsed.choices[0]?.message, streamed];
  for (const message of messages) {
    const [call] = message?.tool_calls ?? [];
    const result = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: 'rain' };
    const again = await client.chat.completions.create({
      ...ask,
      messages: [...asked, message as never, result],
    });
    expect(again.choices[0]?.message.content).toBe('The tools returned rain');
  }
});

test.each(['system', 'developer'] as const)(
  'a message of the role %s stays where it is; those at the beginning become one',
  async (role) => {
    const { client } = await newCaller();
    const messages = [
      { role, content: 'Be brief.' },
      { role: 'system' as const, content: 'Be polite.' },
      ...userMessages('Hello'),
      { role: 'assistant' as const, content: 'Hi!' },
      { role, content: 'From now on answer in French.' },
      ...userMessages('Where is Oslo?'),
    ];
    const { choices } = await client.chat.completions.create({ model: served('mirror'), messages });
    expect(JSON.parse(choices[0]?.message.content ?? '').messages).toEqual([
      { role: 'system', content: 'Be brief.\n\nBe polite.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi!' },
      { role: 'system', content: 'From now on answer in French.' },
      { role: 'user', content: 'Where is Oslo?' },
    ]);
  },
);

const respond = async (input: unknown, more: object = {}) => {
  const { call } = await newCaller();
  const body = { model: served('mirror'), input, store: false, ...more };
  return expectStatus(200, call('POST', '/v1/openai/responses', { body }));
};
const mirrored = async (input: unknown) =>
  JSON.parse((await respond(input)).output[0].content[0].text).messages;

const call = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' };
const other = { ...call, call_id: 'c2' };
const output = (call_id: string, value: unknown) => ({
  type: 'function_call_output',
  call_id,
  output: value,
});
const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';

test('responses: items of the package with null for none, and members that say nothing here, are taken', async () => {
  const items = [
    { role: 'user', content: [{ type: 'input_text', text: 'hi', prompt_cache_breakpoint: null }] },
    {
      ...call,
      id: 'fc_1',
      status: 'completed',
      caller: null,
      namespace: null,
      created_by: 'me',
      parsed_arguments: {},
    },
    {
      ...output('c1', 'seen'),
      id: null,
      status: null,
      caller: { type: 'direct' },
      namespace: null,
      name: 'look',
    },
  ];
  expect((await mirrored(items)).map(({ role }: { role: string }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
  ]);
});

test('responses: images in the results of tools reach the model after all results', async () => {
  const image = { type: 'input_image', image_url: pixel, file_id: null, detail: 'auto' };
  const items = [
    { role: 'user', content: 'Look twice' },
    call,
    other,
    output('c1', [{ type: 'input_text', text: 'the first' }, image]),
    output('c2', [image]),
    { role: 'user', content: 'And?' },
  ];
  const messages = await mirrored(items);
  expect(messages.map(({ role }: { role: string }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'tool',
    'user',
    'user',
  ]);
  expect(messages[2].content).toBe('the first');
  expect(messages[3].content).toContain('next message');
  const shown = { type: 'image_url', image_url: { url: pixel } };
  expect(messages[4].content).toEqual([{ type: 'text', text: expect.any(String) }, shown, shown]);
});

test.each([
  [{ ...call, namespace: 'files' }, 'input'],
  [{ type: 'item_reference', id: 'msg_1' }, 'input[0]'],
  [{ ...call, caller: { type: 'program', caller_id: 'p' } }, 'input'],
  [{ role: 'user', content: [{ type: 'input_image', file_id: 'file_1', image_url: pixel }] }, 'input'],
])('responses: what would change the answer stays an error: %j', async (item, param) => {
  const { call: post } = await newCaller();
  const body = { model: served('mirror'), input: [item] };
  const { error } = await expectStatus(400, post('POST', '/v1/openai/responses', { body }));
  expect(error.param).toContain(param);
});
