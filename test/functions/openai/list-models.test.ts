import { expect, test } from 'vitest';
import { createAgent } from '../../support/agents/agents.ts';
import { createFlow, expectStatus, template } from '../../support/flows/flows.ts';
import { newConfig, newProviderKey } from '../../support/models/model-configs.ts';
import { openAi, userMessages } from '../../support/models/openai.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const idsFor = async (tenant: Tenant, permissions: string[]) => {
  const client = openAi((await newKey(tenant, { permissions })).key);
  const models = await Array.fromAsync(await client.models.list());
  for (const model of models) expect(model).toMatchObject({ object: 'model', created: expect.any(Number) });
  return models.map(({ id }) => id);
};

test('lists what a credential may name: models with a key, agents and flows, each once', async () => {
  const tenant = await newTenant();
  await newConfig(tenant, { provider: 'generic-openai', modelId: 'echo' });
  await createAgent(tenant, { name: 'Helper' });
  await createFlow(tenant, [template('hi')], 'Greet');
  await createFlow(tenant, [template('hi')], 'Greet');
  const all = await idsFor(tenant, ['FLOWS:EXECUTE', 'AGENTS:EXECUTE']);
  expect(all).toEqual(['default', 'generic-openai/echo', 'agent/Helper', 'flow/Greet']);
  expect(await idsFor(tenant, ['AGENTS:EXECUTE'])).toEqual(['agent/Helper']);
  expect(await idsFor(tenant, ['FLOWS:EXECUTE'])).toEqual(['default', 'generic-openai/echo', 'flow/Greet']);
});

test('a stored key makes the models of its provider available; a disabled one is not listed', async () => {
  const tenant = await newTenant();
  expect(await idsFor(tenant, ['FLOWS:EXECUTE'])).toEqual([]);
  await newProviderKey(tenant);
  await newConfig(tenant, { modelId: 'gpt-5-mini' });
  const { id } = await newConfig(tenant, { modelId: 'gpt-5' });
  const before = await idsFor(tenant, ['FLOWS:EXECUTE']);
  expect(before.filter((name) => name === 'openai/gpt-5-mini')).toHaveLength(1);
  expect(before).toContain('openai/gpt-5');
  expect(before.every((name) => name === 'default' || name.startsWith('openai/'))).toBe(true);
  const path = `/v1/model-configs/${id}/status`;
  await expectStatus(200, tenant.call('PATCH', path, { body: { isEnabled: false } }));
  expect(await idsFor(tenant, ['FLOWS:EXECUTE'])).not.toContain('openai/gpt-5');
});

test('each listed flow answers to its name', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant, [template('hi {{ message }}')], 'Say / it, twice?');
  await tenant.call('POST', `/v1/flows/${id}/publish`);
  const [model = ''] = await idsFor(tenant, ['FLOWS:EXECUTE']);
  const client = openAi((await newKey(tenant, { permissions: ['FLOWS:EXECUTE'] })).key);
  const { choices } = await client.chat.completions.create({ model, messages: userMessages('Ada') });
  expect(choices[0]?.message.content).toBe('hi Ada');
});
