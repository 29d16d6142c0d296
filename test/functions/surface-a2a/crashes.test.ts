import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { a2aTaskStore } from '../../../shared/domain/a2a-tasks/task-store.ts';
import { exposedItems } from '../../../shared/domain/surfaces/exposed-item.ts';
import { loadRun } from '../../../shared/execution/agent-runs/run-log.ts';
import { batchStore } from '../../../shared/execution/batches/batch-store.ts';
import { readCheckpoints } from '../../../shared/execution/runs/read-checkpoints.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';
import { answerTask } from '../../../shared/protocols/a2a/answer-task.ts';
import type { A2aCall } from '../../../shared/protocols/a2a/parameters.ts';
import { leaseEnd, renewWhileOpen, startTask } from '../../../shared/protocols/a2a/start-task.ts';
import { taskProgress } from '../../../shared/protocols/a2a/task-progress.ts';
import { calls, createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { brokenTable, type Interference } from '../../support/data/broken-table.ts';
import { createTool } from '../../support/files/tools.ts';
import { publishedFlow, template } from '../../support/flows/flows.ts';
import { principalHere } from '../../support/stack/principals.ts';
import { countingRuntime } from '../../support/stack/stack.ts';
import { a2aWorld, addSkill } from '../../support/surfaces/a2a-surface.ts';

const local = {
  name: 'thermometer',
  description: 'Reads it',
  toolType: 'local',
  config: {},
  parametersSchema: { type: 'object', properties: { room: { type: 'string' } } },
};
class Crash extends Error {}

/** A surface whose requests are made in this process, so that they can end anywhere. */
async function world() {
  const made = await a2aWorld();
  const { tenant, productId, surface } = made;
  const { id: toolId } = await createTool(tenant, local);
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: [toolId] } });
  await addSkill(made, { capabilityName: 'Ask', agentId: agent.id });
  const call = { type: 'tool-call', name: 'measure', config: { toolId, outputVariable: 'measured' } };
  const flow = await publishedFlow(tenant, [call, template('{{ measured.celsius }} °C')]);
  await addSkill(made, { capabilityName: 'Measure', flowId: flow.id });
  const scope: Scope = countingRuntime().scopeOf(tenant.tenant);
  const { exposed } = await exposedItems(scope).findSurface(productId, surface.id);
  const owner = { surfaceId: surface.id, caller: 'a caller' };
  const a2aCall: A2aCall = {
    principal: principalHere(tenant),
    owner,
    items: exposed,
    depth: 0,
    requestId: 'r',
    timeLeftMs: 60_000,
    signal: new AbortController().signal,
  };
  const message = (words: string, returnsAtOnce: boolean, id = 'm-1') => ({
    id,
    parts: [{ text: words }],
    taskId: undefined,
    contextId: undefined,
    skillId: undefined,
    outputModes: [],
    returnsAtOnce,
    push: undefined,
  });
  const found = (skillId: string) => exposed.find(({ item }) => item.endpointSlug === skillId) as never;
  const broken = (interference: Interference): Scope => ({
    ...scope,
    table: brokenTable(tenant.tenant, interference),
  });
  const tasks = () => a2aTaskStore(scope).list(owner, { contextId: undefined, limit: 9, cursor: undefined });
  return { scope, owner, call: a2aCall, message, found, broken, tasks };
}

/** Ends the process right after, or instead of, the transaction that writes an item of this type. */
const crashing = (when: 'before' | 'after', type: string): Interference => ({
  [when]: (command: string, input: Record<string, unknown>) => {
    if (command === 'TransactWriteItems' && JSON.stringify(input).includes(type)) throw new Crash(when);
  },
});

test.each([
  ['greet', 'Ada', true],
  ['ask', scripted({ text: 'Hello' }), true],
  ['ask', scripted({ text: 'Hello' }), false],
])(
  'the task of %s exists with its run or not at all (%s, at once: %s)',
  async (skill, words, returnsAtOnce) => {
    const { scope, call, message, found, broken, tasks } = await world();
    const given = { found: found(skill), message: message(words, returnsAtOnce), earlier: [] };
    await expect(startTask(broken(crashing('before', 'a2aTask')), call, given)).rejects.toThrow(Crash);
    expect((await tasks()).tasks).toEqual([]);
    // A batch that exists is taken for started.
    await startTask(broken(crashing('after', 'a2aTask')), call, given).catch((error) =>
      expect(error).toBeInstanceOf(Crash),
    );
    const [task] = (await tasks()).tasks;
    if (!task) throw new Error('No task');
    if (task.batchId) expect(await batchStore(scope).get(task.batchId)).toMatchObject({ id: task.batchId });
    else
      expect((await loadRun(scope, task.executionId)).execution).toMatchObject({
        surface: { taskId: task.id },
      });
    // The caller sends the message again.
    expect(await startTask(scope, call, given)).toMatchObject({ task: { id: task.id }, isRepeated: true });
    expect((await tasks()).tasks).toHaveLength(1);
  },
);

test('a flow whose process crashed before its first step fails a minute later, and does not run again', async () => {
  const { scope, call, message, found, broken, tasks } = await world();
  const given = { found: found('greet'), message: message('Ada', false), earlier: [] };
  await expect(startTask(broken(crashing('after', 'a2aTask')), call, given)).rejects.toThrow(Crash);
  const { task, events } = await startTask(scope, call, given);
  expect(events).toBeUndefined();
  expect((await tasks()).tasks.map(({ id }) => id)).toEqual([task.id]);
  expect(await taskProgress(scope)(task)).toMatchObject({ state: 'working' });
  const later = { ...scope, now: () => new Date(Date.now() + 60_000) };
  expect(await taskProgress(later)(task)).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('crashed'),
  });
});

test.each([
  ['a flow', 'measure', ''],
  ['an agent', 'ask', scripted(calls(['thermometer', { room: 'attic' }]), { text: 'warm' })],
])('an answer to %s is in the history when it counts', async (_what, skill, words) => {
  const { scope, owner, call, message, found, broken } = await world();
  const first = { ...message(words, false), parts: words ? [{ text: words }] : [{ data: {} }] };
  const { task, events } = await startTask(scope, call, { found: found(skill), message: first, earlier: [] });
  for await (const event of events ?? []) {
    if (event.type !== 'await' || task.kind !== 'flow') continue;
    const { toolCallId: callId = '', toolName = '', parameters } = event;
    await a2aTaskStore(scope).pause(task, { awaited: { callId, toolName, parameters } });
  }
  const { find, messagesOf } = a2aTaskStore(scope);
  const given = {
    found: found(skill),
    task: await find(owner, task.id),
    message: { ...message('', false, 'm-2'), parts: [{ data: { celsius: 21 } }], taskId: task.id },
  };
  const idsOf = async () => (await messagesOf(await find(owner, task.id))).map(({ id }) => id);
  await expect(answerTask(broken(crashing('before', 'm-2')), call, given)).rejects.toThrow(Crash);
  expect(await idsOf()).toEqual(['m-1']);
  expect(await taskProgress(scope)(given.task)).toMatchObject({ state: 'input-required' });
  await expect(answerTask(broken(crashing('after', 'm-2')), call, given)).rejects.toThrow(Crash);
  expect(await idsOf()).toEqual(['m-1', 'm-2']);
  expect(await taskProgress(scope)(await find(owner, task.id))).not.toMatchObject({
    state: 'input-required',
  });
});

/** A task whose flow runs for two seconds, in a process whose clock runs thirty times as fast. */
async function leasedTask(leaseUntil: string | null) {
  const { scope, owner } = await world();
  const began = Date.now();
  const hasty = { ...scope, now: () => new Date(began + (Date.now() - began) * 30) };
  const task = await a2aTaskStore(scope).create(
    {
      ...owner,
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
  const events = async function* () {
    await sleep(2_400);
    yield 'end';
  };
  for await (const _ of renewWhileOpen(hasty, task, events)) break;
  return { task, after: await a2aTaskStore(scope).find(owner, task.id) };
}

test('a process extends the lease of its task', async () => {
  const { task, after } = await leasedTask(leaseEnd({ now: () => new Date() }));
  expect(Date.parse(after.leaseUntil ?? '')).toBeGreaterThan(Date.parse(task.leaseUntil ?? '') + 20_000);
});

test('a task that waits gets no lease again', async () => {
  const { after } = await leasedTask(null);
  expect(after).toMatchObject({ leaseUntil: null, status: 'open' });
});

test('a run that is not told of leaves nothing behind when its process crashes before it', async () => {
  const { scope, call, message, found, broken, tasks } = await world();
  const given = { found: found('greet'), message: message('Ada', false), earlier: [] };
  await expect(startTask(broken(crashing('before', 'a2aTask')), call, given)).rejects.toThrow(Crash);
  expect((await tasks()).tasks).toEqual([]);
  const { task, isRepeated } = await startTask(scope, call, given);
  expect(isRepeated).toBeUndefined();
  expect(await readCheckpoints(scope, { runId: task.executionId, recordId: null })).toEqual([]);
});
