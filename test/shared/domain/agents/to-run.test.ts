import { expect, test } from 'vitest';
import { sandbox } from '../../../../shared/adapters/sandbox/sandbox.ts';
import { agentEditor } from '../../../../shared/domain/agents/agent-editor.ts';
import { agentStore } from '../../../../shared/domain/agents/agent-store.ts';
import { agentVersions } from '../../../../shared/domain/agents/agent-versions.ts';
import type { Principal } from '../../../../shared/platform/identity/principal.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';
import { newTenantName } from '../../platform/data/notes.ts';

const owner = { userId: 'u', organizationId: null } as Principal;

async function world() {
  const scope = countingRuntime().scopeOf(newTenantName());
  const [editor, versions, agents] = [agentEditor(scope), agentVersions(scope), agentStore(scope)];
  const { agent } = await editor.create(owner, { name: 'a', config: { model: 'one' } }, sandbox(scope));
  const toRun = async (environment: 'production' | 'test', version?: string) => {
    const { content, versionId } = await versions.toRun(agent.id, { environment, version });
    return [content.config?.model, versionId];
  };
  const save = async (model: string) =>
    (await editor.update(owner, agent.id, { config: { model } }, sandbox(scope))).agent.draft?.id ??
    expect.unreachable();
  return {
    scope,
    agent,
    agents,
    versions,
    toRun,
    save,
    publish: () => versions.publishCurrent(agent.id),
  };
}

test('a run takes the live agent until a version is published, then that; a test key always takes the live one', async () => {
  const { agent, toRun, save, publish } = await world();
  expect(await toRun('production')).toEqual(['one', agent.draft?.id]);
  const first = await publish();
  expect([await toRun('production'), await toRun('test')]).toEqual([
    ['one', first],
    ['one', null],
  ]);
  const draft = await save('two');
  expect([await toRun('production'), await toRun('test')]).toEqual([
    ['one', first],
    ['two', draft],
  ]);
});

test('the caller may choose the published version, the draft or a version by its id', async () => {
  const { toRun, save, publish } = await world();
  await expect(toRun('production', 'published')).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'Published version not found',
  });
  const first = await publish();
  const draft = await save('two');
  expect(await toRun('test', 'published')).toEqual(['one', first]);
  expect(await toRun('production', 'draft')).toEqual(['two', draft]);
  expect(await toRun('production', draft)).toEqual(['two', draft]);
  await publish();
  expect(await toRun('production', first)).toEqual(['one', first]);
  const other = await world();
  await expect(toRun('production', other.agent.draft?.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a run is marked at most once a minute, and not on a deleted agent', async () => {
  const { scope, agent, agents } = await world();
  await agents.markRun(agent);
  const { lastRunAt, revision } = await agents.find(agent.id);
  expect(lastRunAt).toEqual(expect.any(String));
  await agents.markRun({ id: agent.id, lastRunAt });
  expect((await agents.find(agent.id)).revision).toBe(revision);
  await agents.remove(agent.id, async () => {});
  await agentStore(scope).markRun({ id: agent.id, lastRunAt: null });
  await expect(agents.find(agent.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
