import { expect, test } from 'vitest';
import * as z from 'zod';
import {
  ChatCompletion,
  ChatCompletionChunk,
} from '../../../shared/protocols/openai/chat/chat-completion.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { chunksText, openAi, requestError, served, userMessages } from '../../support/models/openai.ts';
import { newKey, tenantWithKey } from '../../support/stack/keys.ts';
import { newTenant } from '../../support/stack/stack.ts';

const runnerOf = async () => {
  const { tenant, key } = await tenantWithKey(['FLOWS:EXECUTE', 'FLOWS:READ', 'ANALYTICS:READ']);
  return { tenant, client: openAi(key) };
};

const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

test('completes a chat, and tells who answered and what it used', async () => {
  const { client } = await runnerOf();
  const answer = await client.chat.completions.create({
    model: served('echo'),
    messages: [{ role: 'system', content: 'Be brief.' }, ...userMessages('Hello there')],
  });
  expect(z.strictObject(ChatCompletion.shape).parse(answer)).toEqual(answer);
  expect(answer).toMatchObject({
    id: expect.stringMatching(/^chatcmpl-exec_/),
    object: 'chat.completion',
    model: 'generic-openai/echo',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'You said: Hello there', refusal: null },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 6, completion_tokens: 6, total_tokens: 12 },
  });
});

test('streams chunks as the model writes them, with the usage if asked for', async () => {
  const { client } = await runnerOf();
  const stream = await client.chat.completions.create({
    model: served('echo'),
    messages: userMessages('one two three'),
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await Array.fromAsync(stream);
  for (const chunk of chunks) expect(ChatCompletionChunk.parse(chunk)).toEqual(chunk);
  expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
  expect(chunksText(chunks)).toBe('You said: one two three');
  expect(chunks.length).toBeGreaterThan(6);
  expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  expect(chunks.slice(0, -1).map(({ usage }) => usage)).toEqual(chunks.slice(1).map(() => null));
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
});

test('the model calls the tools of the caller, which sends their results back', async () => {
  const { client } = await runnerOf();
  const asked = userMessages(JSON.stringify([{ name: 'get_weather', arguments: { city: 'Oslo' } }]));
  const ask = { model: served('tool-caller'), tools: [weather] };
  const first = await client.chat.completions.create({ ...ask, messages: asked });
  const [choice] = first.choices;
  expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
  const [call] = choice?.message.tool_calls ?? [];
  expect(call).toMatchObject({
    type: 'function',
    function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
  });
  const result = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: '7 degrees' };
  const messages = [...asked, choice?.message as NonNullable<typeof choice>['message'], result];
  const second = await client.chat.completions.create({ ...ask, messages });
  expect(second.choices[0]?.message.content).toBe('The tools returned 7 degrees');
});

test('the package’s own helpers stream calls of tools, run them and parse what fits a schema', async () => {
  const { client } = await runnerOf();
  const calls = [
    { name: 'get_weather', arguments: { city: 'Oslo' } },
    { name: 'get_weather', arguments: { city: 'Bergen' } },
  ];
  const runner = client.chat.completions.runTools({
    model: served('tool-caller'),
    stream: true,
    messages: userMessages(JSON.stringify(calls)),
    tools: [
      {
        type: 'function',
        function: {
          ...weather.function,
          parse: JSON.parse,
          function: ({ city }: { city: string }) => `${city}: 7 degrees`,
        },
      },
    ],
  });
  expect(await runner.finalContent()).toBe('The tools returned Oslo: 7 degrees and Bergen: 7 degrees');
  const schema = {
    type: 'object',
    properties: { n: { type: 'string' } },
    required: ['n'],
    additionalProperties: false,
  };
  const ask = (name: string) =>
    client.chat.completions.parse({
      model: served(name),
      messages: userMessages('a number'),
      response_format: { type: 'json_schema', json_schema: { name: 'number', strict: true, schema } },
    });
  expect((await ask('json-corrector')).choices[0]?.message.parsed).toEqual({ n: 'one' });
  const [mirrored] = (await ask('mirror')).choices;
  const response_format = { type: 'json_schema', json_schema: { strict: true, schema } };
  expect(mirrored?.message.parsed).toMatchObject({ response_format });
});

test('everything that a request says reaches the model', async () => {
  const { client } = await runnerOf();
  const { choices } = await client.chat.completions.create({
    model: served('mirror'),
    messages: [{ role: 'developer', content: 'Be brief.' }, ...userMessages('Hi')],
    tools: [weather],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
    parallel_tool_calls: false,
    temperature: 0.25,
    top_p: 0.5,
    max_completion_tokens: 77,
    frequency_penalty: 1,
    presence_penalty: -1,
    seed: 5,
    stop: ['END'],
    response_format: { type: 'json_object' },
    reasoning_effort: 'low',
  });
  expect(JSON.parse(choices[0]?.message.content ?? '')).toMatchObject({
    model: 'mirror',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
    tools: [weather],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
    parallel_tool_calls: false,
    temperature: 0.25,
    top_p: 0.5,
    max_tokens: 77,
    frequency_penalty: 1,
    presence_penalty: -1,
    seed: 5,
    stop: ['END'],
    response_format: { type: 'json_object' },
    reasoning_effort: 'low',
  });
});

test('images reach the model; those of forbidden schemes and internal addresses are refused', async () => {
  const { client } = await runnerOf();
  const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
  const ask = (url: string) =>
    client.chat.completions.create({
      model: served('mirror'),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url, detail: 'low' } },
          ],
        },
      ],
    });
  const { choices } = await ask(pixel);
  expect(JSON.parse(choices[0]?.message.content ?? '').messages[0].content).toEqual([
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: pixel } },
  ]);
  for (const url of [
    'file:///etc/passwd',
    'http://169.254.169.254/latest',
    'http://10.0.0.1/a.png',
    'ftp://a/b',
  ]) {
    expect(await requestError(ask(url)), url).toMatchObject({
      status: 400,
      param: 'messages',
      code: 'invalid_value',
    });
  }
});

test('a call is counted, and listed as a run with the call of the model in its trace', async () => {
  const { tenant, client } = await runnerOf();
  const { data, response } = await client.chat.completions
    .create(
      { model: served('echo'), messages: userMessages('count me') },
      { headers: { 'X-Run-Tags': 'gateway', 'X-Session-Id': 'session-1' } },
    )
    .withResponse();
  expect(response.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  const usage = await expectStatus(200, tenant.call('GET', '/v1/model-usage'));
  expect(usage.summary.totalRequests).toBe(1);
  const runs = await expectStatus(200, tenant.call('GET', '/v1/runs?tag=gateway'));
  const id = data.id.replace('chatcmpl-', '');
  expect(runs.data).toMatchObject([
    {
      id,
      kind: 'flow',
      name: 'generic-openai/echo',
      status: 'completed',
      flowId: null,
      sessionId: 'session-1',
      trigger: { type: 'api', apiKeyId: expect.any(String) },
      tokens: { input: data.usage?.prompt_tokens, output: data.usage?.completion_tokens },
    },
  ]);
  const { spans } = await expectStatus(200, tenant.call('GET', `/v1/runs/${id}/trace`));
  expect(spans.map(({ name }: { name: string }) => name)).toEqual(['generic-openai/echo', 'chat echo']);
  expect(spans[1].parentSpanId).toBe(spans[0].spanId);
  const shown = await expectStatus(200, tenant.call('GET', `/v1/runs/${id}`));
  expect(JSON.stringify(shown)).not.toContain('count me');
});

test('404 model_not_found for unknown models, and for flows and agents of nobody and of other tenants alike', async () => {
  const { client } = await runnerOf();
  const other = await newTenant();
  const { id } = await expectStatus(
    201,
    other.call('POST', '/v1/flows', { body: { name: 'theirs', flowSteps: [] } }),
  );
  const ask = (model: string) =>
    requestError(client.chat.completions.create({ model, messages: userMessages('hi') }));
  const names = [
    'no-such-model',
    'nobody/model',
    'openai/gpt-5-mini',
    'flow/theirs',
    `flow/${id}`,
    `modelcfg_${id.slice(5)}`,
  ];
  for (const name of names) {
    expect(await ask(name), name).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
      type: 'invalid_request_error',
      message: expect.stringContaining(`The model \`${name}\` does not exist, or you have no access to it`),
    });
  }
  const missing = `flow_${'0'.repeat(26)}`;
  const [theirs, nobodys] = [await ask(`flow/${id}`), await ask(`flow/${missing}`)];
  expect(theirs.message.replace(id, missing)).toBe(nobodys.message);
});

test('403 for a key without the permission of who answers', async () => {
  const tenant = await newTenant();
  const [forFlows, forAgents, neither] = await Promise.all(
    [['FLOWS:EXECUTE'], ['AGENTS:EXECUTE'], ['FLOWS:READ']].map((permissions) =>
      newKey(tenant, { permissions }),
    ),
  );
  const ask = (key: string | undefined, model: string) =>
    requestError(openAi(key ?? '').chat.completions.create({ model, messages: userMessages('hi') }));
  const refused = { status: 403, code: 'insufficient_permissions' };
  expect(await ask(forAgents?.key, served('echo'))).toMatchObject(refused);
  expect(await ask(forAgents?.key, 'flow/any')).toMatchObject(refused);
  expect(await ask(forFlows?.key, 'agent/any')).toMatchObject(refused);
  expect(await ask(neither?.key, served('echo'))).toMatchObject(refused);
  expect(await ask('tv_live_nothing', served('echo'))).toMatchObject({ status: 401 });
});

test('failures of the provider have the status that tells who is to act', async () => {
  const { tenant, client } = await runnerOf();
  const ask = (name: string, stream = false) =>
    requestError(
      client.chat.completions.create({ model: served(name), messages: userMessages('hi'), stream }),
    );
  for (const stream of [false, true]) {
    expect(await ask('refusing', stream)).toMatchObject({
      status: 400,
      code: 'invalid_value',
      message: expect.stringContaining('The prompt was refused'),
    });
    expect(await ask('broken', stream)).toMatchObject({
      status: 502,
      code: 'upstream_error',
      type: 'server_error',
    });
  }
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/runs'));
  expect(data).toHaveLength(4);
  for (const run of data) expect(run).toMatchObject({ status: 'failed', error: { code: 'RUN_FAILED' } });
});
