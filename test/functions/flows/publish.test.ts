import { expect, test } from 'vitest';
import { createFlow, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('publishes the draft; a second publish finds no draft', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const first = await expectStatus(200, tenant.call('POST', `/v1/flows/${flow.id}/publish`, { body: {} }));
  expect(first).toMatchObject({ success: true, publishedVersionId: expect.stringMatching(/^flowver_/) });
  expect(await expectStatus(404, tenant.call('POST', `/v1/flows/${flow.id}/publish`))).toEqual(
    notFoundBody('Draft version'),
  );
});

test('of many concurrent publishes exactly one succeeds', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => tenant.call('POST', `/v1/flows/${flow.id}/publish`)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(404)]);
  const { versions } = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}`));
  expect(versions).toHaveLength(1);
});

test('404 for an unknown flow and another tenant’s; 400 for a malformed id or a body with members', async () => {
  const flow = await createFlow(await newTenant());
  const { call } = await newTenant();
  expect((await call('POST', `/v1/flows/${flow.id}/publish`)).body).toEqual(notFoundBody('Flow'));
  expect((await call('POST', '/v1/flows/7/publish')).status).toBe(400);
  expect((await call('POST', `/v1/flows/${flow.id}/publish`, { body: { force: true } })).status).toBe(400);
});

test('a rollback points the flow at an earlier version; every version keeps its steps', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('one')]);
  const { publishedVersionId: one } = await expectStatus(
    200,
    tenant.call('GET', `/v1/flow-versions/${flow.id}`),
  );
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps: [template('two')] } }),
  );
  await expectStatus(200, tenant.call('POST', `/v1/flows/${flow.id}/publish`));
  await expectStatus(
    200,
    tenant.call('POST', `/v1/flow-versions/${flow.id}/publish`, { body: { versionId: one } }),
  );
  const published = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}/published`));
  expect(published).toMatchObject({ id: one, versionNumber: 1, flowConfig: { steps: [{ name: 'one' }] } });
  const { versions } = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}`));
  expect(versions.map(({ versionNumber }: { versionNumber: number }) => versionNumber)).toEqual([2, 1]);
});
