import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { loadCatalog } from '../../../shared/adapters/models/catalog.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('the built-in tools are listed, each with a valid schema, and readable by themselves', async () => {
  const { call } = await newTenant();
  const { data, total } = await expectStatus(200, call('GET', '/v1/tools/builtin'));
  expect(total).toBe(data.length);
  for (const tool of data) {
    for (const { isRequired, ...schema } of Object.values<Record<string, unknown>>(tool.parametersSchema)) {
      expect(isRequired).toBeTypeOf('boolean');
      expect(new Ajv2020().validateSchema(schema)).toBe(true);
    }
    const { id, name, description, parametersSchema, defaultConfig } = tool;
    const schema = { id, name, description, parametersSchema, defaultConfig };
    for (const named of [id, `builtin:${id}`]) {
      expect(await expectStatus(200, call('GET', `/v1/tools/builtin/${named}/schema`))).toEqual(schema);
    }
    expect(await expectStatus(200, call('GET', `/v1/tools/builtin:${id}`))).toMatchObject({
      id: `builtin:${id}`,
      toolType: 'builtin',
      userId: 'system',
      isActive: true,
      name,
      parametersSchema: { type: 'object', additionalProperties: false },
    });
  }
});

test('404 for a built-in tool that does not exist', async () => {
  const { call } = await newTenant();
  await expectStatus(404, call('GET', '/v1/tools/builtin/nothing/schema'));
  for (const path of ['', '/executions'])
    await expectStatus(404, call('GET', `/v1/tools/builtin:nothing${path}`));
  await expectStatus(404, call('POST', '/v1/tools/builtin:nothing/execute', { body: { parameters: {} } }));
});

test('compatible: 400 without model and provider, an empty list for an unknown pair', async () => {
  const { call } = await newTenant();
  for (const query of ['', '?model=gpt-5-mini', '?provider=openai']) {
    await expectStatus(400, call('GET', `/v1/tools/builtin/compatible${query}`));
  }
  for (const pair of [
    'model=none&provider=openai',
    'model=gpt-5-mini&provider=none',
    'model=x&provider=__proto__',
  ]) {
    const answer = await expectStatus(200, call('GET', `/v1/tools/builtin/compatible?${pair}`));
    expect(answer).toEqual({ data: [], total: 0 });
  }
});

test('compatible: a model that can call tools can call every built-in tool, as the catalog says', async () => {
  const { call } = await newTenant();
  const { data: all } = await expectStatus(200, call('GET', '/v1/tools/builtin'));
  const { models } = await loadCatalog();
  const offers = models.flatMap((model) => model.offers);
  const expected = new Map<string, string[]>();
  for (const { provider, id, tools } of offers) {
    if (tools) expected.set(provider, [...(expected.get(provider) ?? []), id]);
  }
  for (const { providers, modelCompatibility } of all) {
    expect([...providers].sort()).toEqual([...expected.keys()].sort());
    const said = modelCompatibility.map((each: { provider: string; models: string[] }) => [
      each.provider,
      each.models,
    ]);
    expect(new Map(said)).toEqual(expected);
  }
  const withTools = offers.find(({ tools }) => tools);
  const without = offers.find(({ tools }) => !tools);
  const compatible = async ({ provider = '', id = '' }: { provider?: string; id?: string } = {}) =>
    (await expectStatus(200, call('GET', `/v1/tools/builtin/compatible?model=${id}&provider=${provider}`)))
      .data;
  expect(await compatible(withTools)).toEqual(all);
  expect(await compatible(without)).toEqual([]);
});
