import { expect, inject, test } from 'vitest';
import { newSecret } from '../../support/data/secrets.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const weather = (config: object = {}) => ({
  toolType: 'mcp',
  name: 'Weather',
  parametersSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  config: { url: inject('mcpUrl'), toolName: 'get_weather', ...config },
});

const dispatch = ({ call }: Tenant, step: object) =>
  expectStatus(
    200,
    call('POST', '/v1/dispatch', { body: { flow: { steps: [step] }, options: { streamResponse: false } } }),
  );

test('a stored tool of an MCP server runs by itself, in a step, and for a model', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant, weather());
  const path = `/v1/tools/${id}/execute`;
  const parameters = { city: 'Oslo' };
  const ran = await expectStatus(200, tenant.call('POST', path, { body: { parameters } }));
  expect(ran).toMatchObject({ status: 'success', result: { celsius: 21.5, city: 'Oslo' } });
  await expectStatus(400, tenant.call('POST', path, { body: { parameters: { city: 5 } } }));

  const step = { type: 'tool-call', name: 's', config: { toolId: id, parameters } };
  expect(await dispatch(tenant, step)).toMatchObject({
    success: true,
    output: { celsius: 21.5, city: 'Oslo' },
  });

  const text = JSON.stringify([{ name: 'Weather', arguments: parameters }]);
  const config = { model: 'generic-openai/tool-caller', text, tools: { toolIds: [id] } };
  const answered = await dispatch(tenant, { type: 'prompt', name: 'ask', config });
  expect(answered.output).toContain('The tools returned {"celsius":21.5,"city":"Oslo"}');
});

test('a test shows what would be sent, with masked secrets', async () => {
  const tenant = await newTenant();
  await newSecret(tenant, { key: 'KEY', value: 'a value that must not leak' });
  const config = { auth: { type: 'bearer', token: '{{secret:KEY}}' }, headers: { 'X-City': '{{ city }}' } };
  const { id } = await createTool(tenant, weather(config));
  const parameters = { city: 'Oslo' };
  const shown = await expectStatus(
    200,
    tenant.call('POST', `/v1/tools/${id}/test`, { body: { parameters } }),
  );
  expect(shown).toMatchObject({ status: 'pending' });
  expect(shown.result.request).toEqual({
    url: inject('mcpUrl'),
    headers: { 'x-city': 'Oslo', authorization: 'Bearer ********' },
    tool: 'get_weather',
    arguments: parameters,
    timeoutMs: 30_000,
  });
});

test('a tool that its server does not have fails with the names of those that it has', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant, weather({ toolName: 'gone' }));
  const body = { parameters: { city: 'Oslo' } };
  const ran = await expectStatus(200, tenant.call('POST', `/v1/tools/${id}/execute`, { body }));
  expect(ran.status).toBe('failed');
  expect(ran.error).toContain('The MCP server has no tool gone. It has greet, multi-greet, get_weather');
});
