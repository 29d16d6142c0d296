import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { pricedModel } from '../../support/models/model-configs.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const ask = (model: string, changes: object = {}) => ({
  type: 'prompt',
  name: 'ask',
  config: { model, userPrompt: 'Say something of {{ item }}', outputVariable: 'said', ...changes },
});
const mapOver = (...steps: object[]) => ({
  type: 'map',
  name: 'each',
  config: { items: '_record.metadata.list', steps, outputVariable: 'all' },
});

async function warningOf({ call }: Pick<Tenant, 'call'>, ...inside: object[]): Promise<string | undefined> {
  const body = { name: 'f', flowSteps: [mapOver(...inside)] };
  const { warnings } = await expectStatus(200, call('POST', '/v1/public/flows/validate', { body }));
  return warnings.find(({ code }: { code: string }) => code === 'MAP_WITHOUT_BOUND')?.message;
}

const withoutPrice = 'limit the list, for example with .slice(0, 50)';

test('the warning of a map without a bound names the price of an item, and of as many as a map takes', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant, { input: 0, output: 0.004, tokensMax: 600 });
  const one = await warningOf(tenant, ask(model));
  expect(one).toContain('each item costs about $0.0012, 1,000 items about $1.20');
  const two = await warningOf(tenant, ask(model), ask(model, { maxTokens: 100 }));
  expect(two).toContain('each item costs about $0.0014, 1,000 items about $1.40');
});

test('without a known price, or with steps that repeat their calls, the warning is as it was', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant, { input: 0, output: 0.004, tokensMax: 600 });
  const loop = {
    type: 'loop',
    name: 'again',
    config: { while: 'true', maxIterations: 5, onLimit: 'stop', steps: [ask(model)] },
  };
  const agent = {
    type: 'execute-agent',
    name: 'agent',
    config: { agentId: 'x', message: 'x', outputVariable: 'a' },
  };
  for (const inside of [[ask('generic-openai/unknown')], [loop], [ask(model), agent]])
    expect((await warningOf(tenant, ...inside))?.endsWith(withoutPrice)).toBe(true);
});
