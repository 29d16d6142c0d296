import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { newConfig } from '../../support/models/model-configs.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const step = (type: string, config: object) => ({ type, name: type, config });
const run = ({ call }: Tenant, steps: object[], inputs: object = {}) =>
  expectStatus(
    200,
    call('POST', '/v1/dispatch', {
      body: { flow: { steps }, inputs, options: { streamResponse: false } },
    }),
  );
const save = (config: object = {}) => step('save-memory', { contentVariable: 'fact', ...config });
const recall = (config: object = {}) =>
  step('recall-memory', { queryTemplate: 'tea?', model: 'generic-openai/mirror', ...config });

/** A tenant with an embedding model. */
async function withEmbeddings(): Promise<Tenant> {
  const tenant = await newTenant();
  await newConfig(tenant, { provider: 'generic-openai', modelId: 'embedder' });
  return tenant;
}

test('a run saves what later runs recall and summarise, each with its cost counted', async () => {
  const tenant = await withEmbeddings();
  const saved = await run(tenant, [save()], { fact: 'Ada likes tea' });
  expect(saved).toMatchObject({
    success: true,
    output: { saved: 1, cleared: 0, ids: [expect.any(String)] },
    steps: [{ modelUsed: 'generic-openai/embedder' }],
  });
  const recalled = await run(tenant, [recall({ responseLength: 'short' })]);
  expect(recalled).toMatchObject({ success: true, steps: [{ modelUsed: 'generic-openai/mirror' }] });
  expect(recalled.output).toContain('Ada likes tea');
  const summarised = await run(tenant, [step('memory-summary', { model: 'generic-openai/mirror' })]);
  expect(summarised.output).toContain('Ada likes tea');
  const usage = await expectStatus(200, tenant.call('GET', '/v1/model-usage'));
  expect(usage.summary.totalRequests).toBe(4);
});

test('profiles and tenants are separate, and a cleared profile is forgotten', async () => {
  const [tenant, other] = [await withEmbeddings(), await withEmbeddings()];
  await run(tenant, [save({ profileTemplate: 'ada' })], { fact: 'likes tea' });
  for (const [who, profileTemplate] of [
    [tenant, 'bob'],
    [other, 'ada'],
  ] as const) {
    expect((await run(who, [recall({ profileTemplate, defaultValue: 'nothing' })])).output).toBe('nothing');
  }
  const cleared = await run(tenant, [step('save-memory', { profileTemplate: 'ada', clear: true })]);
  expect(cleared.output).toEqual({ profile: 'ada', ids: [], saved: 0, cleared: 1 });
  expect((await run(tenant, [recall({ profileTemplate: 'ada' })])).output).toBe('');
});

test('without an embedding model the step fails and says what to do', async () => {
  const tenant = await newTenant();
  const { success, steps } = await run(tenant, [save()], { fact: 'x' });
  expect(success).toBe(false);
  expect(steps[0].error).toContain('No embedding model is configured');
});

test('the validation of a flow knows the variables of the memory steps', async () => {
  const { call } = await newTenant();
  const body = { name: 'f', flowSteps: [save({ profileTemplate: '{{ customer }}' }), recall()] };
  const { valid, warnings } = await expectStatus(200, call('POST', '/v1/public/flows/validate', { body }));
  expect(valid).toBe(true);
  const unknown = warnings.filter(({ code }: { code: string }) => code === 'UNKNOWN_VARIABLE');
  expect(
    unknown.map(({ details }: { details: { variable: string } }) => details.variable).toSorted(),
  ).toEqual(['customer', 'fact']);
});
