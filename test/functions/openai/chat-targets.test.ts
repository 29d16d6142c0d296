import { expect, test } from 'vitest';
import { createAgent } from '../../support/agents/agents.ts';
import { createTool } from '../../support/files/tools.ts';
import { createFlow, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { chunksText, openAi, requestError, served, userMessages } from '../../support/models/openai.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

async function clientOf(tenant: Tenant) {
  const permissions = ['FLOWS:EXECUTE', 'AGENTS:EXECUTE'];
  return openAi((await newKey(tenant, { permissions })).key);
}

const prompt = (userPrompt: string, config: object = {}) => ({
  type: 'prompt',
  name: 'ask',
  config: { model: served('echo'), userPrompt, ...config },
});

test('a flow gets the last message of the user as message, and all as messages; its answer is its output', async () => {
  const tenant = await newTenant();
  const steps = [template('{{ message }} after {{ messages | size }}, first {{ messages[0].content }}')];
  const { id } = await publishedFlow(tenant, steps);
  const client = await clientOf(tenant);
  for (const model of [`flow/${id}`, 'flow/A flow']) {
    const answer = await client.chat.completions.create({
      model,
      messages: [
        { role: 'system', content: 'Be kind.' },
        ...userMessages('one'),
        { role: 'assistant', content: 'two' },
        { role: 'user', content: [{ type: 'text', text: 'three' }] },
      ],
    });
    expect(answer).toMatchObject({
      model,
      choices: [{ message: { content: 'three after 4, first Be kind.' }, finish_reason: 'stop' }],
      usage: { total_tokens: 0 },
    });
    const run = answer.id.replace('chatcmpl-', '');
    const shown = await expectStatus(200, tenant.call('GET', `/v1/runs/${run}`));
    expect(shown).toMatchObject({
      kind: 'flow',
      flowId: id,
      trigger: { type: 'api', apiKeyId: expect.any(String) },
    });
  }
});

test('of several flows with a name the newest answers', async () => {
  const tenant = await newTenant();
  await publishedFlow(tenant, [template('the older')]);
  await publishedFlow(tenant, [template('the newer')]);
  const client = await clientOf(tenant);
  const { choices } = await client.chat.completions.create({
    model: 'flow/A flow',
    messages: userMessages('hi'),
  });
  expect(choices[0]?.message.content).toBe('the newer');
});

test('a stream of a flow has the text of the prompt at its end as it is written, and nothing of other prompts', async () => {
  const tenant = await newTenant();
  const { id } = await publishedFlow(tenant, [
    prompt('hidden', { outputVariable: 'first' }),
    prompt('shown to {{ message }}'),
  ]);
  const client = await clientOf(tenant);
  const stream = await client.chat.completions.create({
    model: `flow/${id}`,
    messages: userMessages('Ada'),
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await Array.fromAsync(stream);
  expect(chunksText(chunks)).toBe('You said: shown to Ada');
  expect(chunks.length).toBeGreaterThan(5);
  expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
});

test('the output of another step, and output that is no text, comes in one piece', async () => {
  const tenant = await newTenant();
  const { id } = await publishedFlow(tenant, [
    prompt('{"n":1}', { responseFormat: 'text' }),
    { type: 'transform-data', name: 'shape', config: { script: 'return { n: 42 }' } },
  ]);
  const client = await clientOf(tenant);
  const stream = await client.chat.completions.create({
    model: `flow/${id}`,
    messages: userMessages('go'),
    stream: true,
  });
  const pieces = (await Array.fromAsync(stream)).flatMap(
    ({ choices: [choice] }) => choice?.delta.content || [],
  );
  expect(pieces).toEqual(['{"n":42}']);
});

test('an agent answers with its own tools', async () => {
  const tenant = await newTenant();
  const { id: toolId } = await createTool(tenant);
  const config = { model: served('tool-caller'), loopConfig: { maxTurns: 5 }, tools: { toolIds: [toolId] } };
  const { id } = await createAgent(tenant, { name: 'Doubler', config });
  const client = await clientOf(tenant);
  const messages = userMessages(JSON.stringify([{ name: 'Double', arguments: { n: 21 } }]));
  for (const model of [`agent/${id}`, 'agent/Doubler']) {
    const { choices, usage } = await client.chat.completions.create({ model, messages });
    expect(choices[0]?.message.content).toBe('The tools returned 42');
    expect(usage?.total_tokens).toBeGreaterThan(0);
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    expect(chunksText(await Array.fromAsync(stream))).toBe('The tools returned 42');
  }
});

test('an agent answers as a schema says', async () => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant, {
    config: { model: served('json-corrector'), loopConfig: { maxTurns: 5 } },
  });
  const client = await clientOf(tenant);
  const schema = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  };
  const ask = (model: string) =>
    client.chat.completions.parse({
      model,
      messages: userMessages('a number'),
      response_format: { type: 'json_schema', json_schema: { name: 'number', schema } },
    });
  expect((await ask(`agent/${id}`)).choices[0]?.message.parsed).toEqual({ n: 1 });
  const flow = await publishedFlow(tenant, [template('hi')]);
  expect(await requestError(ask(`flow/${flow.id}`))).toMatchObject({ status: 400, param: 'response_format' });
});

test('what flows and agents cannot take is refused', async () => {
  const tenant = await newTenant();
  const { id } = await publishedFlow(tenant, [template('hi')]);
  const client = await clientOf(tenant);
  const ask = (more: object) =>
    requestError(
      client.chat.completions.create({ model: `flow/${id}`, messages: userMessages('go'), ...more }),
    );
  const tools = [{ type: 'function', function: { name: 'mine' } }];
  expect(await ask({ tools })).toMatchObject({ status: 400, code: 'unsupported_parameter', param: 'tools' });
  const functions = [{ name: 'mine' }];
  expect(await ask({ functions })).toMatchObject({ status: 400, code: 'unsupported_parameter' });
  const call = { id: 'call_1', type: 'function', function: { name: 'mine', arguments: '{}' } };
  const messages = [...userMessages('go'), { role: 'assistant', tool_calls: [call] }];
  expect(await ask({ messages })).toMatchObject({ status: 400, param: 'messages[1]' });
  expect(await ask({ messages: [{ role: 'system', content: 'x' }] })).toMatchObject({
    status: 400,
    param: 'messages',
  });
});

test('a run that fails or waits is a 422, also in a stream that has begun', async () => {
  const tenant = await newTenant();
  const client = await clientOf(tenant);
  const failing = await publishedFlow(tenant, [
    { type: 'transform-data', name: 'break', config: { script: 'throw new Error("broken")' } },
  ]);
  const waiting = await publishedFlow(tenant, [
    { type: 'approval', name: 'Ask', config: { question: 'May I?', outputVariable: 'answer' } },
  ]);
  const ask = (id: string, stream: boolean) =>
    client.chat.completions.create({ model: `flow/${id}`, messages: userMessages('go'), stream });
  expect(await requestError(ask(failing.id, false))).toMatchObject({
    status: 422,
    code: 'run_failed',
    message: expect.stringMatching(/broken.*\(run exec_/s),
  });
  expect(await requestError(ask(waiting.id, false))).toMatchObject({ status: 422, code: 'run_paused' });
  const broken = requestError(ask(failing.id, true).then((stream) => Array.fromAsync(stream as never)));
  expect(await broken).toMatchObject({ code: 'run_failed', message: expect.stringContaining('broken') });
});

test('a test key runs the draft', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant, [template('the published')]);
  await expectStatus(200, tenant.call('POST', `/v1/flows/${id}/publish`));
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${id}`, { body: { flowSteps: [template('the draft')] } }),
  );
  const { key } = await newKey(tenant, { permissions: ['FLOWS:EXECUTE'], environment: 'test' });
  const ask = { model: `flow/${id}`, messages: userMessages('hi') };
  const live = await clientOf(tenant);
  expect((await live.chat.completions.create(ask)).choices[0]?.message.content).toBe('the published');
  expect((await openAi(key).chat.completions.create(ask)).choices[0]?.message.content).toBe('the draft');
});
