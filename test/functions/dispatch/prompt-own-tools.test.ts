import { expect, inject, test } from 'vitest';
import { expectStatus } from '../../support/flows.ts';
import { newSecret } from '../../support/secrets.ts';
import { newTenant, type Tenant } from '../../support/stack.ts';

const callsOf = (...calls: { name: string; arguments: object }[]) => JSON.stringify(calls);
const prompt = (tools: object, text: string, model = 'tool-caller') => ({
  type: 'prompt',
  name: 'ask',
  config: { model: `generic-openai/${model}`, text, tools },
});
const run = ({ call }: Tenant, steps: object[]) =>
  expectStatus(200, call('POST', '/v1/dispatch', { body: { flow: { steps }, options: { streamResponse: false } } }));

const parametersSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const doubler = {
  ...{ name: 'double', description: 'Doubles n', toolType: 'custom', parametersSchema },
  config: { code: 'return input.n * 2' },
};

test('a prompt’s model calls a tool that the step defines', async () => {
  const tenant = await newTenant();
  const text = callsOf({ name: 'double', arguments: { n: 21 } }, { name: 'double', arguments: { n: 'x' } });
  const { output } = await run(tenant, [prompt({ runtimeTools: [doubler] }, text)]);
  expect(output).toContain('The tools returned 42 and ');
  expect(output).toContain('The arguments do not fit the tool double: n');
});

test('a prompt’s model calls the tools of an MCP server', async () => {
  const tenant = await newTenant();
  const text = callsOf({ name: 'm__get_weather', arguments: { city: 'Oslo' } });
  const mcpServers = [{ id: 'm', url: inject('mcpUrl') }];
  const { output } = await run(tenant, [prompt({ mcpServers }, text)]);
  expect(output).toBe('The tools returned {"celsius":21.5,"city":"Oslo"}');
});
