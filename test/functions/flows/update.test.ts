import { expect, test } from 'vitest';
import { createFlow, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('an update changes what is sent, keeps the rest, and returns the draft’s id', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant, [template('one')]);
  const renamed = await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { name: 'Renamed' } }),
  );
  expect(renamed).toMatchObject({
    id: flow.id,
    name: 'Renamed',
    flowSteps: flow.flowSteps,
    draftVersionId: expect.stringMatching(/^flowver_/),
  });
  const emptied = await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps: [], description: null } }),
  );
  expect(emptied).toMatchObject({
    name: 'Renamed',
    flowSteps: [],
    stepCount: 0,
    draftVersionId: renamed.draftVersionId,
  });
});

test('an edit after publishing creates a new draft, and the published version does not change', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('old')]);
  const { draftVersionId } = await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps: [template('new')] } }),
  );
  const published = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}/published`));
  expect(published).toMatchObject({
    versionNumber: 1,
    versionType: 'published',
    flowConfig: { steps: [{ name: 'old' }] },
  });
  const draft = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}/${draftVersionId}`));
  expect(draft).toMatchObject({
    versionNumber: 2,
    versionType: 'draft',
    flowConfig: { steps: [{ name: 'new' }] },
  });
});

test('concurrent updates keep each other’s changes', async () => {
  const tenant = await newTenant();
  const changes = [{ name: 'Renamed' }, { description: 'Described' }, { flowSteps: [template('new')] }];
  const meeting = async () => {
    const path = `/v1/flows/${(await createFlow(tenant)).id}`;
    // Each can lose to the two others alone, so none has to give up.
    await Promise.all(changes.map((body) => expectStatus(200, tenant.call('PUT', path, { body }))));
    expect(await expectStatus(200, tenant.call('GET', path))).toMatchObject({
      name: 'Renamed',
      description: 'Described',
      flowSteps: [{ name: 'new' }],
    });
  };
  await Promise.all(Array.from({ length: 8 }, meeting));
});

test('404 for another tenant’s flow, 400 for invalid input; nothing changes', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const foreign = await newTenant();
  expect((await foreign.call('PUT', `/v1/flows/${flow.id}`, { body: { name: 'mine' } })).body).toEqual(
    notFoundBody('Flow'),
  );
  expect((await tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { name: '' } })).status).toBe(400);
  expect(
    (await tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { steps: [] } })).body.details[0],
  ).toMatchObject({ path: 'steps', code: 'UNKNOWN_MEMBER' });
  expect((await tenant.call('GET', `/v1/flows/${flow.id}`)).body).toEqual(flow);
});
