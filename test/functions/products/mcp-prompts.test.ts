import { expect, test } from 'vitest';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import {
  addSurfaceKey,
  connectMcp,
  makePrompt,
  mcpProtocols,
  mcpSurface,
  scriptStep,
} from '../../support/surfaces/mcp-surface.ts';
import { addCapability, addItem, createSurface } from '../../support/surfaces/products.ts';

const parametersSchema = {
  type: 'object',
  properties: {
    person: { type: 'string', description: 'Who is greeted', enum: ['Ada', 'Alan', 'Grace'] },
    times: { type: 'integer', enum: [1, 12, 2] },
    loud: { type: 'boolean' },
  },
  required: ['person'],
};

/** An mcp surface whose item is a prompt. */
async function promptSurface(steps?: object[]) {
  const world = await mcpSurface(steps);
  const { tenant, path, item, productId, capability } = world;
  const of = `/v1/products/${productId}/capabilities/${capability.id}`;
  await expectStatus(200, tenant.call('PUT', of, { body: { parametersSchema } }));
  await makePrompt(tenant, path, item);
  return world;
}

test.each(mcpProtocols)(
  '%s: a prompt is listed with its arguments, and its run gives the text',
  async (_, mode) => {
    const { path, key } = await promptSurface();
    const client = await connectMcp(path, key, mode);
    expect(client.getServerCapabilities()).toEqual({ tools: {}, prompts: {}, completions: {} });
    expect((await client.listTools()).tools).toEqual([]);
    const { prompts } = await client.listPrompts();
    const args = [
      { name: 'person', description: 'Who is greeted', required: true },
      { name: 'times', required: false },
      { name: 'loud', required: false },
    ];
    expect(prompts).toEqual([
      { name: 'greet', title: 'Greet', description: 'Greets a person', arguments: args },
    ]);
    const { messages } = await client.getPrompt({ name: 'greet', arguments: { person: 'Ada' } });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Hello Ada' } }]);
  },
);

test('an item that nobody described is described by its capability, or else by its flow', async () => {
  const { tenant, path, key, item, productId, capability, flow } = await mcpSurface();
  const listed = async () => (await (await connectMcp(path, key)).listTools()).tools[0]?.description;
  const put = (where: string, body: object) => expectStatus(200, tenant.call('PUT', where, { body }));
  await put(`/v1/flows/${flow.id}`, { description: 'Says hello' });
  await put(`${path}/items/${item.id}`, { exposedDescription: null });
  expect(await listed()).toBe('Says hello');
  await makePrompt(tenant, path, item);
  const { prompts } = await (await connectMcp(path, key)).listPrompts();
  expect(prompts).toEqual([expect.objectContaining({ name: 'greet', description: 'Says hello' })]);
  await put(`${path}/items/${item.id}`, { config: null });
  const of = `/v1/products/${productId}/capabilities/${capability.id}`;
  await put(of, { capabilityDescription: 'Greets everybody' });
  expect(await listed()).toBe('Greets everybody');
});

test('an item without offeredAs is a tool, and one that was a prompt becomes one again', async () => {
  const { tenant, path, key, item } = await promptSurface();
  const put = (config: object | null) =>
    expectStatus(200, tenant.call('PUT', `${path}/items/${item.id}`, { body: { config } }));
  const toolNames = async () =>
    (await (await connectMcp(path, key)).listTools()).tools.map(({ name }) => name);
  expect(await toolNames()).toEqual([]);
  await put({ other: 1 });
  expect(await toolNames()).toEqual([]);
  for (const config of [{ offeredAs: 'tool' }, null, { offeredAs: null }]) {
    await put({ offeredAs: 'prompt' });
    expect(await toolNames()).toEqual([]);
    await put(config);
    expect(await toolNames()).toEqual(['greet']);
  }
});

test('400 for another value of offeredAs, on mcp surfaces only', async () => {
  const { tenant, path, item, productId, capability } = await mcpSurface();
  const body = { config: { offeredAs: 'resource' } };
  const { details } = await expectStatus(400, tenant.call('PUT', `${path}/items/${item.id}`, { body }));
  expect(details).toEqual([expect.objectContaining({ path: 'config.offeredAs', code: 'INVALID_ENUM' })]);
  const api = await createSurface(tenant, productId);
  const other = await expectStatus(201, addItem(tenant, api, { capabilityId: capability.id }));
  const otherPath = `/v1/products/${productId}/surfaces/${api.id}/items/${other.id}`;
  await expectStatus(200, tenant.call('PUT', otherPath, { body }));
});

test('arguments are JSON where the schema wants no text, and wrong ones are named', async () => {
  const { path, key } = await promptSurface([scriptStep('return [person, times, loud]')]);
  const client = await connectMcp(path, key);
  const get = (args: Record<string, string>) => client.getPrompt({ name: 'greet', arguments: args });
  const { messages } = await get({ person: 'Ada', times: '12', loud: 'true' });
  expect(messages).toMatchObject([{ content: { text: '["Ada",12,true]' } }]);
  for (const [args, named] of [
    [{}, 'person'],
    [{ person: '1' }, 'person'],
    [{ person: 'Ada', times: 'twelve' }, 'times'],
    [{ person: 'Ada', loud: '{' }, 'loud'],
  ] as const) {
    await expect(get(args)).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining(named),
    });
  }
  await expect(client.getPrompt({ name: 'other' })).rejects.toMatchObject({ code: -32_602 });
});

test('a flow gives several messages, with any content of the protocol', async () => {
  const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
  const given = [
    { role: 'user', content: 'What is this?' },
    { role: 'user', content: image },
    { role: 'assistant', content: { type: 'text', text: 'A picture' } },
  ];
  const { path, key } = await promptSurface([scriptStep(`return { messages: ${JSON.stringify(given)} }`)]);
  const client = await connectMcp(path, key);
  const { messages } = await client.getPrompt({ name: 'greet', arguments: { person: 'Ada' } });
  const [question, ...others] = given;
  expect(messages).toEqual([{ ...question, content: { type: 'text', text: 'What is this?' } }, ...others]);
});

test.each([
  '{ messages: [] }',
  '{ messages: [{ role: "system", content: "x" }] }',
  '{ messages: [{ role: "user", content: "x" }], more: 1 }',
])('%s is no list of messages, and becomes a text', async (value) => {
  const { path, key } = await promptSurface([scriptStep(`return ${value}`)]);
  const client = await connectMcp(path, key);
  const { messages } = await client.getPrompt({ name: 'greet', arguments: { person: 'Ada' } });
  expect(messages).toMatchObject([
    { role: 'user', content: { text: expect.stringMatching(/^{"messages":/) } },
  ]);
});

test('a failed run and a run that waits are errors, without what is internal', async () => {
  const wait = { ...template('-', 'waited'), type: 'wait-until', config: { delayMs: 3_600_000 } };
  for (const [step, message] of [
    [scriptStep('throw Error("inner")'), 'The run failed'],
    [wait, 'The run continues at'],
  ] as const) {
    const { path, key } = await promptSurface([step]);
    const client = await connectMcp(path, key);
    const refused = await client
      .getPrompt({ name: 'greet', arguments: { person: 'Ada' } })
      .catch((error) => error);
    expect(refused).toMatchObject({ code: -32_603, message: expect.stringContaining(message) });
    expect(refused.message).not.toContain('inner');
  }
});

test('arguments are completed from the values that their schema lists', async () => {
  const { path, key, tenant, productId, surface } = await promptSurface();
  const flow = await publishedFlow(tenant, [template('x')]);
  const given = { capabilityName: 'Other', flowId: flow.id };
  const { id } = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId: id }));
  const client = await connectMcp(path, key);
  const complete = async (argument: string, value: string, name = 'greet') => {
    const ref = { type: 'ref/prompt' as const, name };
    return (await client.complete({ ref, argument: { name: argument, value } })).completion;
  };
  expect(await complete('person', 'a')).toEqual({ values: ['Ada', 'Alan'], total: 2, hasMore: false });
  expect((await complete('times', '1')).values).toEqual(['1', '12']);
  expect((await complete('loud', 't')).values).toEqual(['true']);
  expect((await complete('person', 'x')).values).toEqual([]);
  for (const refused of [
    () => complete('nothing', ''),
    () => complete('person', '', 'nowhere'),
    () => complete('x', '', 'other'),
  ])
    await expect(refused()).rejects.toMatchObject({ code: -32_602 });
});

test('a key sees the prompts in its scopes', async () => {
  const { tenant, path, surface, capability } = await promptSurface();
  await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id, endpointSlug: 'again' }));
  const narrow = await addSurfaceKey(tenant, path, { environment: 'production', scopes: ['again'] });
  const client = await connectMcp(path, narrow);
  expect(client.getServerCapabilities()).toEqual({ tools: {} });
  expect((await client.listTools()).tools).toMatchObject([{ name: 'again' }]);
});

test('lists of tools and prompts have pages of 50', async () => {
  const { tenant, path, key, surface, capability } = await mcpSurface();
  const names = Array.from({ length: 59 }, (_, n) => `tool-${n}`);
  for (const endpointSlug of names) {
    await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id, endpointSlug }));
  }
  const client = await connectMcp(path, key);
  await expect(client.listTools({ cursor: 'x' })).rejects.toMatchObject({ code: -32_602 });
  const all = (await client.listTools()).tools.map(({ name }) => name);
  expect(all).toEqual(['greet', ...names]);
  const last = Buffer.from('tool-48').toString('base64url');
  expect((await client.listTools({ cursor: last })).tools).toHaveLength(10);
});

test('a prompt whose flow was deleted is not listed, and a tool neither', async () => {
  const { tenant, path, key, flow, productId, surface } = await promptSurface();
  const other = await publishedFlow(tenant, [template('-')]);
  const given = { capabilityName: 'Other', flowId: other.id };
  const { id: capabilityId } = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId }));
  for (const { id } of [flow, other]) await expectStatus(204, tenant.call('DELETE', `/v1/flows/${id}`));
  const client = await connectMcp(path, key);
  expect((await client.listPrompts()).prompts).toEqual([]);
  expect((await client.listTools()).tools).toEqual([]);
  const call = client.getPrompt({ name: 'greet', arguments: { person: 'Ada' } });
  await expect(call).rejects.toThrow('was deleted');
});
