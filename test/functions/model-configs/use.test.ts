import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { newConfig, newProviderKey } from '../../support/models/model-configs.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

/** Runs a prompt with a model, and returns the result of its step. */
async function ask({ call }: Tenant, model: string) {
  const steps = [{ type: 'prompt', name: 'ask', config: { model, userPrompt: 'Hi' } }];
  const body = { flow: { name: 'Inline', steps }, options: { streamResponse: false } };
  return (await expectStatus(200, call('POST', '/v1/dispatch', { body }))).steps[0];
}

const generic = { provider: 'generic-openai', modelId: 'any' };
const custom = {
  displayName: 'Ours',
  inputCostPer1kTokens: 0.001,
  outputCostPer1kTokens: 0,
  executorConfig: { modelMapping: 'mapped' },
};

test('a run uses a config by its id and as `default`, with its name on the wire and its price', async () => {
  const tenant = await newTenant();
  const { id } = await newConfig(tenant, { ...generic, settings: { customModel: custom } });
  for (const model of [id, 'default', 'generic-openai/any']) {
    const { status, modelUsed, promptTokens, estimatedCost } = await ask(tenant, model);
    expect({ status, modelUsed }).toEqual({ status: 'completed', modelUsed: 'generic-openai/mapped' });
    expect(Number(estimatedCost)).toBeCloseTo((promptTokens * 0.001) / 1_000, 12);
  }
});

test('a call that the deployment pays costs what the catalog says, whatever a config states', async () => {
  const tenant = await newTenant();
  const free = { customModel: { ...custom, inputCostPer1kTokens: 0, executorConfig: {} } };
  const config = await newConfig(tenant, { ...generic, modelId: 'gpt-4o-mini', settings: free });
  expect(config).toMatchObject({ keyStatus: 'platform', inputCostPer1kTokens: 0.00015 });
  const { promptTokens, completionTokens, estimatedCost } = await ask(tenant, config.id);
  expect(Number(estimatedCost)).toBeCloseTo((promptTokens * 0.15 + completionTokens * 0.6) / 1e6, 12);
});

test('a run that names a disabled or deleted config fails with a sentence that says what to do', async () => {
  const tenant = await newTenant();
  const [{ id }, other] = [await newConfig(tenant, generic), await newConfig(tenant)];
  await expectStatus(
    200,
    tenant.call('PATCH', `/v1/model-configs/${id}/status`, { body: { isEnabled: false } }),
  );
  expect((await ask(tenant, id)).error).toContain(
    `The model config ${id} (generic-openai/any) is disabled; enable it through PATCH /v1/model-configs/${id}/status`,
  );
  await expectStatus(204, tenant.call('DELETE', `/v1/model-configs/${id}`));
  expect((await ask(tenant, id)).error).toContain(`There is no model config ${id}`);
  expect((await ask(tenant, other.id)).error).toContain(
    'The model provider openai is not configured: store a key through POST /v1/provider-keys',
  );
});

test('a deleted provider key fails the runs of the config that names it, without another key', async () => {
  const tenant = await newTenant();
  const settings = { baseURL: 'https://models.example.com/v1' };
  const { id: providerKeyId } = await newProviderKey(tenant, { provider: 'generic-openai', settings });
  const { id } = await newConfig(tenant, { ...generic, providerKeyId });
  await expectStatus(200, tenant.call('DELETE', `/v1/provider-keys/${providerKeyId}`));
  expect((await ask(tenant, id)).error).toContain(`The provider key of the model config ${id} was deleted`);
});

test('validation knows the tenant’s configs', async () => {
  const tenant = await newTenant();
  const { id } = await newConfig(tenant, generic);
  const warningsFor = async (model: string) => {
    const flowSteps = [{ type: 'prompt', name: 'ask', config: { model, userPrompt: 'Hi' } }];
    const body = { name: 'A flow', flowSteps };
    const { warnings } = await expectStatus(200, tenant.call('POST', '/v1/public/flows/validate', { body }));
    return warnings.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`);
  };
  expect(await warningsFor(id)).toEqual([]);
  expect(await warningsFor('default')).toEqual([]);
  const unknown = `modelcfg_${'0'.repeat(26)}`;
  expect(await warningsFor(unknown)).toEqual(['MODEL_NOT_CONFIGURED flowSteps.0.config.model']);
});
