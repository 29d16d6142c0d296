import { expect, test } from 'vitest';
import { a2aTaskEntity, tasksPartition } from '../../../shared/domain/a2a-tasks/task.ts';
import { a2aTaskStore } from '../../../shared/domain/a2a-tasks/task-store.ts';
import { ConditionFailed } from '../../../shared/platform/data/condition-failed.ts';
import { recordEnd, taskProgress } from '../../../shared/protocols/a2a/task-progress.ts';
import { calls, createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';
import {
  a2aClient,
  a2aWorld,
  addSkill,
  sending,
  shownTask,
  taskIn,
  text,
} from '../../support/surfaces/a2a-surface.ts';

/** An open task of a flow, whose process lives until a moment. */
async function openTask(leaseUntil: string | null) {
  const { tenant } = await newTenant();
  const scope = countingRuntime().scopeOf(tenant);
  const task = await a2aTaskStore(scope).create(
    {
      surfaceId: scope.newId('surface'),
      caller: 'a caller',
      id: scope.newId('task'),
      contextId: 'a',
      itemId: scope.newId('item'),
      kind: 'flow',
      executionId: scope.newId('exec'),
      batchId: null,
      leaseUntil,
      hidesReasons: false,
    },
    { id: 'm', parts: [{ text: 'Hello' }] },
  );
  return { scope, task };
}

test('a flow whose process is gone has failed once its lease is over, and works until then', async () => {
  const later = await openTask(new Date(Date.now() + 60_000).toISOString());
  expect(await taskProgress(later.scope)(later.task)).toMatchObject({ state: 'working' });
  const over = await openTask(new Date(Date.now() - 1).toISOString());
  expect(await taskProgress(over.scope)(over.task)).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('crashed'),
  });
  const stored = await over.scope.table.get(a2aTaskEntity, over.task, { consistent: true });
  expect(stored).toMatchObject({ status: 'failed' });
});

test('a task ends once: who comes second learns how it ended', async () => {
  const { scope, task } = await openTask(null);
  const at = new Date().toISOString();
  await recordEnd(scope, task, { state: 'canceled', at, error: 'Canceled' });
  expect(await recordEnd(scope, task, { state: 'completed', at, output: 'late' })).toMatchObject({
    state: 'canceled',
  });
  const { write } = await a2aTaskStore(scope).prepareMessage(task, { id: 'n', parts: [{ text: 'x' }] }, null);
  await expect(scope.table.commit([write])).rejects.toThrow(ConditionFailed);
});

test('a long answer and a long message are kept outside of the item, and read back', async () => {
  const { url, key } = await a2aWorld();
  const client = await a2aClient(url, key);
  const name = 'Ada '.repeat(10_000).trim();
  const { id } = taskIn(await client.sendMessage(sending([text(name)])));
  const task = await client.getTask({ tenant: '', id });
  expect(shownTask(task).answer).toEqual([`Hello ${name}`]);
  expect(task.history[0]?.parts[0]?.content?.value).toBe(name);
});

test('a task of an agent that was deleted while it waits is over', async () => {
  const world = await a2aWorld();
  const tools = { toolIds: ['builtin:calculator'], approval: { require: true } };
  const agent = await createScriptedAgent(world.tenant, { tools });
  await addSkill(world, { capabilityName: 'Ask', agentId: agent.id });
  const client = await a2aClient(world.url, world.key);
  const script = scripted(calls(['calculator', { expression: '1' }]), { text: 'never' });
  const { id } = taskIn(await client.sendMessage(sending([text(script)], { skillId: 'ask' })));
  await expectStatus(200, world.tenant.call('DELETE', `/v1/agents/${agent.id}`));
  await eventually(async () => {
    // Its run is cancelled, and then removed.
    expect(['canceled', 'failed']).toContain(shownTask(await client.getTask({ tenant: '', id })).state);
  });
  await expect(client.sendMessage(sending([text(script)], { skillId: 'ask' }))).rejects.toThrow(
    'was deleted',
  );
});

test('the tasks of a deleted surface are removed', async () => {
  const { url, key, tenant, path, surface } = await a2aWorld();
  const client = await a2aClient(url, key);
  await client.sendMessage(sending([text('Ada')]));
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const stored = () => table.queryAll({ partition: tasksPartition(surface.id), consistent: true });
  expect(await stored()).toHaveLength(2);
  await expectStatus(200, tenant.call('DELETE', path));
  await eventually(async () => expect(await stored()).toEqual([]));
});
