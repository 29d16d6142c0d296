import { expect, test } from 'vitest';
import { createFlow, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant } from '../../support/stack/stack.ts';

const unknownVersion = `flowver_${'0'.repeat(26)}`;

test('the list returns drafts and published versions, newest first, and filters by type', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant);
  const { draftVersionId } = await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { name: 'edited' } }),
  );
  const { versions, publishedVersionId } = await expectStatus(
    200,
    tenant.call('GET', `/v1/flow-versions/${flow.id}`),
  );
  expect(versions).toMatchObject([
    { id: draftVersionId, versionNumber: 2, versionType: 'draft', stepCount: 1 },
    { id: publishedVersionId, versionNumber: 1, versionType: 'published', stepCount: 1 },
  ]);
  const drafts = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}?type=draft`));
  expect(drafts.versions.map(({ id }: { id: string }) => id)).toEqual([draftVersionId]);
  expect((await tenant.call('GET', `/v1/flow-versions/${flow.id}?type=final`)).status).toBe(400);
});

test('400 for a version of another flow, draft or published; 404 for an unknown version', async () => {
  const tenant = await newTenant();
  const [flow, other] = [await createFlow(tenant), await publishedFlow(tenant)];
  const { publishedVersionId } = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${other.id}`));
  const { draftVersionId } = await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${other.id}`, { body: { flowSteps: [template('x')] } }),
  );
  for (const versionId of [publishedVersionId, draftVersionId]) {
    const got = await expectStatus(400, tenant.call('GET', `/v1/flow-versions/${flow.id}/${versionId}`));
    expect(got.details[0]).toMatchObject({ path: 'versionId', code: 'VERSION_OF_ANOTHER_FLOW' });
    await expectStatus(
      400,
      tenant.call('POST', `/v1/flow-versions/${flow.id}/publish`, { body: { versionId } }),
    );
  }
  expect(
    await expectStatus(404, tenant.call('GET', `/v1/flow-versions/${flow.id}/${unknownVersion}`)),
  ).toEqual(notFoundBody('Flow version'));
  await expectStatus(
    404,
    tenant.call('POST', `/v1/flow-versions/${flow.id}/publish`, { body: { versionId: unknownVersion } }),
  );
});

test('404 if nothing is published; publishing the draft by its id publishes it', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  expect(await expectStatus(404, tenant.call('GET', `/v1/flow-versions/${flow.id}/published`))).toEqual(
    notFoundBody('Published version'),
  );
  const { versions } = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}?type=draft`));
  const versionId = versions[0].id;
  const answer = await expectStatus(
    200,
    tenant.call('POST', `/v1/flow-versions/${flow.id}/publish`, { body: { versionId } }),
  );
  expect(answer).toMatchObject({ success: true, flowId: flow.id, versionId });
  expect(await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}/published`))).toMatchObject(
    { id: versionId },
  );
});

test('an invalid publish body returns an error that names the fault: no id, a malformed one, an unknown member', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const publish = (body: object) =>
    expectStatus(400, tenant.call('POST', `/v1/flow-versions/${flow.id}/publish`, { body }));
  expect((await publish({})).details).toMatchObject([{ path: 'versionId', code: 'MISSING_REQUIRED_FIELD' }]);
  expect((await publish({ versionId: 'v1' })).details).toMatchObject([
    { path: 'versionId', code: 'INVALID_FORMAT' },
  ]);
  expect((await publish({ versionId: unknownVersion, force: true })).details).toMatchObject([
    { path: 'force', code: 'UNKNOWN_MEMBER' },
  ]);
});
