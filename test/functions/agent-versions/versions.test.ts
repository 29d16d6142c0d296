import { expect, test } from 'vitest';
import { createAgent, publishAgent, updateAgent } from '../../support/agents/agents.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant } from '../../support/stack/stack.ts';

const unknownVersion = `agentver_${'0'.repeat(26)}`;
const modelOf = (version: { agentConfig: { config: { model: string } } }) => version.agentConfig.config.model;

test('publishing takes the live agent, also without a change; an update creates the next draft', async () => {
  const tenant = await newTenant();
  const { id, draftVersionId } = await createAgent(tenant, { config: { model: 'one' } });
  const get = (path: string) => expectStatus(200, tenant.call('GET', path));
  const list = () => get(`/v1/agent-versions/${id}`);
  expect(await list()).toMatchObject({ agentId: id, publishedVersionId: null, draftVersionId });
  const answer = await expectStatus(200, tenant.call('POST', `/v1/agents/${id}/publish`, { body: {} }));
  expect(answer).toEqual({
    success: true,
    publishedVersionId: draftVersionId,
    message: expect.any(String),
  });
  expect(await get(`/v1/agents/${id}`)).toMatchObject({ publishedVersionId: draftVersionId });
  const second = await publishAgent(tenant, id);
  expect(second).not.toBe(draftVersionId);
  const { draftVersionId: third } = await updateAgent(tenant, id, { config: { model: 'two' } });
  const { versions, ...pointers } = await list();
  expect(pointers).toEqual({
    agentId: id,
    publishedVersionId: second,
    draftVersionId: third,
    hasMore: false,
  });
  expect(versions).toMatchObject([
    { id: third, versionNumber: 3, versionType: 'draft', configSummary: 'two' },
    { id: second, versionNumber: 2, versionType: 'published', configSummary: 'one' },
    { id: draftVersionId, versionNumber: 1, versionType: 'published', label: null, notes: null },
  ]);
  const published = await get(`/v1/agent-versions/${id}/published`);
  expect(published).toMatchObject({ id: second, agentId: id, versionNumber: 2, versionType: 'published' });
  expect(modelOf(published)).toBe('one');
  expect(modelOf(await get(`/v1/agent-versions/${id}/${third}`))).toBe('two');
  const drafts = await get(`/v1/agent-versions/${id}?type=draft`);
  expect(drafts.versions).toHaveLength(1);
  await expectStatus(400, tenant.call('GET', `/v1/agent-versions/${id}?type=final`));
});

test('an earlier version can be published again, and the draft by its id', async () => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant, { config: { model: 'one' } });
  const first = await publishAgent(tenant, id);
  const { draftVersionId } = await updateAgent(tenant, id, { config: { model: 'two' } });
  const publish = (versionId: string) =>
    expectStatus(200, tenant.call('POST', `/v1/agent-versions/${id}/publish`, { body: { versionId } }));
  const publishedModel = async () =>
    modelOf(await expectStatus(200, tenant.call('GET', `/v1/agent-versions/${id}/published`)));
  expect(await publish(draftVersionId)).toMatchObject({
    success: true,
    agentId: id,
    versionId: draftVersionId,
  });
  expect(await publishedModel()).toBe('two');
  await publish(first);
  expect(await publishedModel()).toBe('one');
  // The live agent stays as it was; publishing it makes a new version.
  await publishAgent(tenant, id);
  expect(await publishedModel()).toBe('two');
});

test('400 for a version of another agent, draft or published; 404 for an unknown version or agent', async () => {
  const tenant = await newTenant();
  const [agent, other] = [await createAgent(tenant), await createAgent(tenant)];
  const published = await publishAgent(tenant, other.id);
  const { draftVersionId } = await updateAgent(tenant, other.id, { name: 'Edited' });
  const path = `/v1/agent-versions/${agent.id}`;
  for (const versionId of [published, draftVersionId]) {
    const got = await expectStatus(400, tenant.call('GET', `${path}/${versionId}`));
    expect(got.details[0]).toMatchObject({ path: 'versionId', code: 'VERSION_OF_ANOTHER_AGENT' });
    await expectStatus(400, tenant.call('POST', `${path}/publish`, { body: { versionId } }));
  }
  const unknown = notFoundBody('Agent version');
  expect(await expectStatus(404, tenant.call('GET', `${path}/${unknownVersion}`))).toEqual(unknown);
  const body = { versionId: unknownVersion };
  expect(await expectStatus(404, tenant.call('POST', `${path}/publish`, { body }))).toEqual(unknown);
  expect(await expectStatus(404, tenant.call('GET', `${path}/published`))).toEqual(
    notFoundBody('Published version'),
  );
  const nobody = `agent_${'0'.repeat(26)}`;
  for (const [method, asked] of [
    ['GET', `/v1/agent-versions/${nobody}`],
    ['GET', `/v1/agent-versions/${nobody}/published`],
    ['POST', `/v1/agents/${nobody}/publish`],
  ] as const) {
    expect(await expectStatus(404, tenant.call(method, asked))).toEqual(notFoundBody('Agent'));
  }
});

test('400 for a publish body without an id, with a malformed one, with an unknown member', async () => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant);
  for (const [body, path, code] of [
    [{}, 'versionId', 'MISSING_REQUIRED_FIELD'],
    [{ versionId: 'v1' }, 'versionId', 'INVALID_FORMAT'],
    [{ versionId: unknownVersion, force: true }, 'force', 'UNKNOWN_MEMBER'],
  ] as const) {
    const answer = tenant.call('POST', `/v1/agent-versions/${id}/publish`, { body });
    expect((await expectStatus(400, answer)).details).toMatchObject([{ path, code }]);
  }
});
