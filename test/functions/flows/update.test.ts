import { expect, test } from 'vitest';
import { createFlow, expectStatus, publishedFlow, template } from '../../support/flows.ts';
import { newTenant } from '../../support/stack.ts';

test('changes what was sent, keeps the rest, and names the draft', async () => {
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

test('an edit after publishing begins a new draft, and the published version stays as it was', async () => {
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

test('of many writers at once each change is applied whole or refused with 409', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      tenant.call('PUT', `/v1/flows/${flow.id}`, {
        body: n % 2 ? { name: `name ${n}` } : { flowSteps: [template(`${n}`), template(`${n}`)] },
      }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toSatisfy((statuses: Set<number>) =>
    [...statuses].every((status) => status === 200 || status === 409),
  );
  const applied = answers.filter(({ status }) => status === 200);
  expect(applied.length).toBeGreaterThan(0);
  const { body } = await tenant.call('GET', `/v1/flows/${flow.id}`);
  expect(applied.map((answer) => answer.body.name)).toContain(body.name);
  expect(new Set(body.flowSteps.map(({ name }: { name: string }) => name)).size).toBe(1);
});

test('404 for another tenant’s flow, 400 for bad input: nothing changes', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const foreign = await newTenant();
  expect((await foreign.call('PUT', `/v1/flows/${flow.id}`, { body: { name: 'mine' } })).body).toEqual({
    error: 'Flow not found',
  });
  expect((await tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { name: '' } })).status).toBe(400);
  expect(
    (await tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { steps: [] } })).body.details[0],
  ).toMatchObject({ path: 'steps', code: 'UNKNOWN_MEMBER' });
  expect((await tenant.call('GET', `/v1/flows/${flow.id}`)).body).toEqual(flow);
});
