import { expect, test } from 'vitest';
import { createFlow, expectStatus, template } from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const upsert = ({ call }: Tenant, text: string, upsertOptions: object = {}) =>
  call('POST', '/v1/dispatch', {
    body: {
      flow: { name: 'Mine', steps: [template(text)] },
      options: { streamResponse: false, flowMode: 'upsert', upsertOptions },
    },
  });
const flowsOf = async ({ call }: Tenant) => (await expectStatus(200, call('GET', '/v1/flows'))).data;
const versionsOf = ({ call }: Tenant, id: string) =>
  expectStatus(200, call('GET', `/v1/flow-versions/${id}`));

test('the first upsert creates the flow, an identical one changes nothing, a different one publishes a version', async () => {
  const tenant = await newTenant();
  for (const text of ['one', 'one', 'two']) {
    expect((await expectStatus(200, upsert(tenant, text))).output).toBe(text);
  }
  const flows = await flowsOf(tenant);
  expect(flows).toMatchObject([{ name: 'Mine' }]);
  const { publishedVersionId, versions } = await versionsOf(tenant, flows[0].id);
  expect(versions.map(({ versionNumber }: { versionNumber: number }) => versionNumber)).toEqual([2, 1]);
  expect(publishedVersionId).toBe(versions[0].id);
});

test('an upsert adopts a flow of the same name created otherwise if its steps are the same', async () => {
  const tenant = await newTenant();
  const older = await createFlow(tenant, [template('one')], 'Mine');
  const newer = await createFlow(tenant, [template('one')], 'Mine');
  await expectStatus(200, upsert(tenant, 'one'));
  expect(await flowsOf(tenant)).toMatchObject([{ id: newer.id }, { id: older.id }]);
  expect((await versionsOf(tenant, newer.id)).publishedVersionId).not.toBeNull();
  expect((await versionsOf(tenant, older.id)).publishedVersionId).toBeNull();
});

test('an upsert does not adopt a flow that others created, even with the steps of the last upsert', async () => {
  const tenant = await newTenant();
  await expectStatus(200, upsert(tenant, 'one'));
  const [ours] = await flowsOf(tenant);
  await expectStatus(200, tenant.call('PUT', `/v1/flows/${ours.id}`, { body: { name: 'Other' } }));
  await createFlow(tenant, [template('one')], 'Mine');
  const { details } = await expectStatus(409, upsert(tenant, 'two'));
  expect(details).toMatchObject([{ code: 'EXTERNAL_CHANGES' }]);
});

test('an upsert overwrites steps that others changed only on request', async () => {
  const tenant = await newTenant();
  await expectStatus(200, upsert(tenant, 'one'));
  const [{ id }] = await flowsOf(tenant);
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${id}`, { body: { flowSteps: [template('by hand')] } }),
  );
  const { details } = await expectStatus(409, upsert(tenant, 'two'));
  expect(details).toMatchObject([{ path: 'flow.steps', code: 'EXTERNAL_CHANGES' }]);
  const kept = await expectStatus(200, tenant.call('GET', `/v1/flows/${id}`));
  expect(kept.flowSteps[0].name).toBe('by hand');
  await expectStatus(200, upsert(tenant, 'two', { allowOverwriteExternalChanges: true }));
});

test('createVersionOnChange false leaves changed steps in the draft', async () => {
  const tenant = await newTenant();
  await expectStatus(200, upsert(tenant, 'one'));
  await expectStatus(200, upsert(tenant, 'two', { createVersionOnChange: false }));
  const [{ id }] = await flowsOf(tenant);
  const { versions } = await versionsOf(tenant, id);
  expect(versions.map(({ versionType }: { versionType: string }) => versionType)).toEqual([
    'draft',
    'published',
  ]);
});

test('an upsert recreates a deleted or renamed flow', async () => {
  const tenant = await newTenant();
  await expectStatus(200, upsert(tenant, 'one'));
  const [{ id }] = await flowsOf(tenant);
  await expectStatus(200, tenant.call('PUT', `/v1/flows/${id}`, { body: { name: 'Other' } }));
  await expectStatus(200, upsert(tenant, 'one'));
  expect((await flowsOf(tenant)).map(({ name }: { name: string }) => name)).toEqual(['Mine', 'Other']);
});

test('of many concurrent upserts one creates the flow, and the others find it or return 409', async () => {
  const tenant = await newTenant();
  const answers = await Promise.all(Array.from({ length: 8 }, () => upsert(tenant, 'one')));
  for (const { status } of answers) expect([200, 409]).toContain(status);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  expect(await flowsOf(tenant)).toHaveLength(1);
});

test.each([{}, { allowOverwriteExternalChanges: true }])(
  'many concurrent upserts all succeed, and the flow equals what one of them sent (%j)',
  async (options) => {
    const tenant = await newTenant();
    const texts = Array.from({ length: 20 }, (_, n) => `text ${n}`);
    const answers = await Promise.all(texts.map((text) => upsert(tenant, text, options)));
    expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 200));
    const flows = await flowsOf(tenant);
    expect(flows).toHaveLength(1);
    const { flowSteps } = await expectStatus(200, tenant.call('GET', `/v1/flows/${flows[0].id}`));
    expect(texts).toContain(flowSteps[0].name);
  },
);
