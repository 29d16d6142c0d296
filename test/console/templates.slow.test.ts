import { expect, inject, test } from 'vitest';
import { createFromTemplate } from '../../console/src/templates/create/create-from-template.ts';
import type { StarterTemplate } from '../../console/src/templates/template.ts';
import { templates } from '../../console/src/templates/templates.ts';
import { createClient } from '../../packages/client/src/client.ts';
import { answered, run } from '../support/agents/agent-runs.ts';
import { browserTest, expectGoodScreen, openConsole } from '../support/console/console.ts';
import { expectStatus } from '../support/flows/flows.ts';
import { newTenant, stack, type Tenant } from '../support/stack/stack.ts';

const clientOf = ({ token }: Tenant) => createClient({ baseUrl: stack().url, apiKey: token });

/** A workspace whose default model is the stand-in that keeps to JSON Schemas. */
async function tenantWithModel(): Promise<Tenant> {
  const tenant = await newTenant();
  const body = { provider: 'generic-openai', modelId: 'fitting' };
  const { id } = await expectStatus(201, tenant.call('POST', '/v1/model-configs', { body }));
  await expectStatus(200, tenant.call('PATCH', `/v1/model-configs/${id}/default`));
  return tenant;
}

const named = (id: string): StarterTemplate => {
  const found = templates.find((template) => template.id === id);
  if (!found) throw new Error(`There is no template ${id}`);
  return found;
};

/** Runs the published flow on a record, as a program of the workspace does. */
const dispatch = ({ call }: Tenant, flowId: string, recordId: string) =>
  expectStatus(
    200,
    call('POST', '/v1/dispatch', {
      body: { flow: { id: flowId }, record: { id: recordId }, options: { streamResponse: false } },
    }),
  );

const metadataOf = async ({ call }: Tenant, id: string) =>
  (await expectStatus(200, call('GET', `/v1/records/${id}`))).metadata;

/** What a flow stores in the record on which it ran. */
const stores: Record<string, string[]> = {
  'classify-records': ['category', 'priority', 'reason'],
  'extract-fields': ['invoice'],
  'enrich-from-url': ['description', 'audience'],
  'summarise-documents': ['summary', 'words'],
  'translate-texts': ['translation', 'check'],
  'daily-digest': ['digest'],
};

for (const template of templates.filter(({ opens }) => opens === 'flow')) {
  test(`${template.name}: the flow is published and succeeds on its sample record`, async () => {
    const tenant = await tenantWithModel();
    const made = await createFromTemplate(clientOf(tenant), template);
    const recordId = made.recordIds.at(-1) ?? '';
    if (template.id === 'enrich-from-url') await useReachableUrl(tenant, recordId);
    const result = await dispatch(tenant, made.flowId ?? '', recordId);
    expect(result, JSON.stringify(result)).toMatchObject({ status: 'completed' });
    expect(await metadataOf(tenant, recordId)).toMatchObject(
      Object.fromEntries((stores[template.id] ?? ['']).map((name) => [name, expect.anything()])),
    );
  });
}

/** A page of this machine: tests do not depend on the internet. */
const useReachableUrl = ({ call }: Tenant, id: string) =>
  expectStatus(
    200,
    call('PUT', `/v1/records/${id}`, { body: { metadata: { url: `${inject('webhooksUrl')}/page` } } }),
  );

for (const template of templates.filter(({ opens }) => opens === 'agent')) {
  test(`${template.name}: the agent is published and answers`, async () => {
    const tenant = await tenantWithModel();
    const { agentId = '' } = await createFromTemplate(clientOf(tenant), template);
    const { status, result } = await answered(run(tenant, agentId, template.agent?.ask ?? ''));
    // An agent that is told the time reads it with the message.
    expect([status, result.startsWith('You said: ')]).toEqual(['completed', true]);
    expect(result).toContain(template.agent?.ask);
  });
}

test('the support agent finds its articles, and waits for an approval before it stores a request', async () => {
  const tenant = await tenantWithModel();
  const { agentId = '', types } = await createFromTemplate(clientOf(tenant), named('support-agent'));
  await tenant.call('PUT', `/v1/agents/${agentId}`, {
    body: { config: { model: 'generic-openai/tool-caller' } },
  });
  await expectStatus(200, tenant.call('POST', `/v1/agents/${agentId}/publish`));
  const call = (name: string, args: object) => JSON.stringify([{ name, arguments: args }]);
  const found = await answered(
    run(tenant, agentId, call('record-search', { type: types['help-article'], search: 'refund' })),
  );
  expect(found.result).toContain('refunded within 30 days');
  const request = { type: 'refund-request', name: '5512', metadata: { reason: 'late' } };
  const { pausedReason } = await answered(run(tenant, agentId, call('record-upsert', request)));
  expect(pausedReason.awaits[0]).toMatchObject({ awaitReason: 'approval', toolName: 'record-upsert' });
});

test('the API product answers at its address', async () => {
  const tenant = await tenantWithModel();
  const { productId, surfaceId } = await createFromTemplate(clientOf(tenant), named('api-product'));
  const surface = `/v1/products/${productId}/surfaces/${surfaceId}`;
  const { key } = await expectStatus(
    201,
    tenant.call('POST', `${surface}/keys`, { body: { environment: 'production' } }),
  );
  const answer = await tenant.call('POST', `${surface}/run/analyse-review`, {
    headers: { authorization: `Bearer ${key}` },
    body: { review: 'Good rope' },
  });
  expect(answer.body).toMatchObject({ status: 'completed', output: { sentiment: 'positive' } });
});

test('the digest runs on weekday mornings, on its own record, and reads the notes of the template', async () => {
  const tenant = await tenantWithModel();
  const made = await createFromTemplate(clientOf(tenant), named('daily-digest'));
  const path = `/v1/products/${made.productId}/surfaces/${made.surfaceId}/schedules`;
  const { data } = await expectStatus(200, tenant.call('GET', path));
  expect(data).toMatchObject([
    { flowId: made.flowId, cron: '0 8 * * 1-5', recordType: 'digest', enabled: true },
  ]);
  const recordId = made.recordIds.at(-1) ?? '';
  await dispatch(tenant, made.flowId ?? '', recordId);
  expect((await metadataOf(tenant, recordId)).digest).toContain('Sales: Harbour Supplies signed');
});

test('a second one has numbers in its names, and its own records', async () => {
  const tenant = await tenantWithModel();
  const api = clientOf(tenant);
  await createFromTemplate(api, named('daily-digest'));
  const second = await createFromTemplate(api, named('daily-digest'));
  expect(second.types).toEqual({ 'digest-note': 'digest-note-2', digest: 'digest-2' });
  const flow = await expectStatus(200, tenant.call('GET', `/v1/flows/${second.flowId}`));
  expect(flow.name).toBe('Daily digest 2');
  expect(flow.flowSteps[0].config.parameters.type).toBe('digest-note-2');
  const product = await expectStatus(200, tenant.call('GET', `/v1/products/${second.productId}`));
  expect(product.name).toBe('Daily digest 2');
});

test('the samples are created by one request, and the last one is the newest; commas and quotation marks stay', async () => {
  const tenant = await newTenant();
  const template = named('classify-records');
  const [sample] = template.records;
  const metadata = { subject: 'A "quoted" word, and more', text: 'Two\nlines' };
  const items = [{ name: 'First, of all', metadata }, ...(sample?.items ?? [])];
  const sent: string[] = [];
  const api = createClient({
    baseUrl: stack().url,
    apiKey: tenant.token,
    fetch(url, init) {
      if (String(url).includes('/v1/records')) sent.push(`${init?.method}`);
      return fetch(url, init);
    },
  });
  const made = await createFromTemplate(api, {
    ...template,
    records: [{ type: 'support-ticket', items }],
  });
  expect(sent.filter((method) => method === 'POST')).toHaveLength(1);
  expect(await metadataOf(tenant, made.recordIds[0] ?? '')).toEqual(metadata);
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/records?limit=1'));
  expect(data).toMatchObject([{ id: made.recordIds.at(-1), name: 'T-1001' }]);
  expect(made.recordIds).toHaveLength(51);
});

test('what was created is deleted again if a later request fails', async () => {
  const tenant = await newTenant();
  const refusing = clientOf(
    await newTenant({
      userId: tenant.userId,
      permissions: ['FLOWS:*', 'RECORDS:*', 'PRODUCTS:READ'],
    }),
  );
  const whats: string[] = [];
  const creating = createFromTemplate(refusing, named('daily-digest'), ({ what }) => whats.push(what));
  await expect(creating).rejects.toMatchObject({ status: 403 });
  expect(whats).toEqual(['Sample records', 'Sample records', 'Flow', 'Product', 'Deleting what was created']);
  for (const path of ['/v1/flows', '/v1/records']) {
    const { data } = await expectStatus(200, tenant.call('GET', path));
    expect(data).toEqual([]);
  }
});

browserTest('one click creates a flow and opens it with a sample record, on which it runs', async () => {
  const tenant = await tenantWithModel();
  const { page, complaints } = await openConsole({ tenant, screen: '/flows' });
  await page.getByRole('link', { name: 'Create from template' }).first().click();
  await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor();
  expect(await page.getByRole('article', { name: 'API product' }).count()).toBe(0);
  await page.getByRole('article', { name: 'Classify records' }).getByText('What it creates').click();
  await page.getByText('50 sample records of the type support-ticket').waitFor();
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Use template: Classify records' }).click();
  await page.getByRole('heading', { name: 'Classify support tickets', level: 1 }).waitFor();
  await page.getByLabel('Record', { exact: true }).getByText('T-1001').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('completed', { exact: true }).first().waitFor();
  expect(complaints).toEqual([]);
});

browserTest('one click creates an agent and opens a chat with a first question', async () => {
  const tenant = await tenantWithModel();
  const { page } = await openConsole({ tenant, screen: '/templates?kind=agent' });
  await page.getByRole('button', { name: /^Use template: Support agent/ }).click();
  await page.getByRole('heading', { name: 'Support agent', level: 1 }).waitFor();
  expect(await page.getByLabel('Message').inputValue()).toMatch(/^My order 5512/);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('You said: My order 5512').waitFor();
});

browserTest('without a model, each card says so; a failure is told in the card', async () => {
  const tenant = await newTenant();
  const { page } = await openConsole({
    tenant,
    screen: '/templates',
    permissions: ['FLOWS:READ', 'RECORDS:READ', 'MODELS:READ'],
  });
  const card = page.getByRole('article', { name: 'Classify records' });
  await card.getByRole('button').click();
  await card.getByRole('alert').filter({ hasText: 'RECORDS:WRITE' }).waitFor();
  const { page: own } = await openConsole({ tenant, screen: '/templates' });
  await own.getByRole('article', { name: 'Classify records' }).getByText('Needs a model').waitFor();
});

browserTest('where the stand-in is the default model, the gallery and the checklist say so', async () => {
  const tenant = await newTenant();
  const body = { provider: 'generic-openai', modelId: 'stand-in' };
  await expectStatus(201, tenant.call('POST', '/v1/model-configs', { body }));
  const { page } = await openConsole({ tenant });
  await page.getByText('answered by a stand-in, which is not a language model').waitFor();
  await page.getByText('Connect a model: to do').waitFor();
  expect(await page.getByText('Needs a model').count()).toBe(0);
  await expectGoodScreen(page);
});
