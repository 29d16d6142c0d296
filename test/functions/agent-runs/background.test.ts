import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  approve,
  calls,
  createScriptedAgent,
  followed,
  run,
  scripted,
} from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { openEvents } from '../../support/stack/sse.ts';
import { newTenant, stack, type Tenant } from '../../support/stack/stack.ts';

const inBackground = { options: { background: true } };
const start = (tenant: Tenant, agentId: string, script: string): Promise<{ executionId: string }> =>
  expectStatus(202, run(tenant, agentId, script, inBackground));
const cancel = (tenant: Tenant, agentId: string, executionId: string) =>
  tenant.call('POST', `/v1/agents/${agentId}/executions/${executionId}/cancel`);

test('a worker runs the agent; several readers follow it live, from any event on', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: ['builtin:calculator'] } });
  const script = scripted(calls(['calculator', { expression: '1 + 1' }]), { text: 'two' });
  const { executionId } = await start(tenant, agent.id, script);
  const [one, other] = await Promise.all([
    followed(tenant, agent.id, executionId),
    followed(tenant, agent.id, executionId),
  ]);
  expect(one.at(-1)).toMatchObject({ type: 'execution_complete', success: true, finalOutput: 'two' });
  expect(one.map(({ seq }) => seq)).toEqual(one.map(({ seq }) => seq).toSorted((a, b) => a - b));
  expect(other.map(({ type }) => type)).toEqual(one.map(({ type }) => type));
  for (const { seq } of one.slice(0, -1)) {
    const rest = await followed(tenant, agent.id, executionId, seq);
    expect(rest).toEqual(one.filter((event) => event.seq > seq));
    // An EventSource that reconnects repeats the query that it began with.
    const header = { 'last-event-id': String(seq) };
    for (const after of [undefined, 0]) {
      expect(await followed(tenant, agent.id, executionId, after, header)).toEqual(rest);
    }
  }
  const path = `/v1/agents/${agent.id}/executions/${executionId}/events`;
  const wrong = await fetch(stack().url + path, {
    headers: { authorization: `Bearer ${tenant.token}`, 'last-event-id': 'x' },
  });
  expect(wrong.status).toBe(400);
  expect(await wrong.json()).toMatchObject({
    details: [{ path: 'after', code: 'INVALID_CURSOR' }],
  });
});

test('an approval in the background: the worker goes on', async () => {
  const tenant = await newTenant();
  const approval = { require: true };
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: ['builtin:calculator'], approval } });
  const script = scripted(calls(['calculator', { expression: '3' }]), { text: 'three' });
  const { executionId } = await start(tenant, agent.id, script);
  const events = await eventually(async () => {
    const all = await followed(tenant, agent.id, executionId);
    expect(all.at(-1)?.type).toBe('await');
    return all;
  });
  const { approvalId, seq } = events.at(-1) as { approvalId?: string; seq: number };
  const answer = { executionId, approvalId, decision: 'approved' };
  expect(await expectStatus(200, approve(tenant, agent.id, answer))).toMatchObject({ status: 'running' });
  const rest = await eventually(async () => {
    const all = await followed(tenant, agent.id, executionId, seq);
    expect(all.at(-1)?.type).toBe('execution_complete');
    return all;
  });
  expect(rest.at(-1)).toMatchObject({ finalOutput: 'three' });
});

test('a cancelled run ends at once for its readers, and its model call is aborted', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/hanging' });
  const { executionId } = await start(tenant, agent.id, 'hello');
  const following = followed(tenant, agent.id, executionId);
  expect(await expectStatus(200, cancel(tenant, agent.id, executionId))).toEqual({
    success: true,
    executionId,
    status: 'cancelled',
  });
  expect((await following).at(-1)).toMatchObject({
    type: 'execution_complete',
    success: false,
    stopReason: 'cancelled',
  });
  expect((await cancel(tenant, agent.id, executionId)).status).toBe(409);
});

test('a run that another request cancels tells the caller in front of it', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/hanging' });
  const path = `/v1/agents/${agent.id}/execute`;
  const { events } = await openEvents(tenant.token, path, {
    messages: [{ role: 'user', content: 'hello' }],
  });
  const first = (await events.next()).value?.data;
  await expectStatus(200, cancel(tenant, agent.id, first?.executionId ?? ''));
  const rest = (await Array.fromAsync(events)).map(({ data }) => data);
  expect(rest.at(-1)).toMatchObject({ type: 'execution_complete', success: false, stopReason: 'cancelled' });
  const seqs = [first, ...rest].map((event) => event?.seq ?? -1);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
});

test('a run that records one fact after the other is cancelled all the same', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    model: 'generic-openai/tool-lover',
    loopConfig: { maxTurns: 100 },
    tools: { toolIds: ['builtin:calculator'], maxToolCalls: 100 },
  });
  const ends = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const { executionId } = await start(tenant, agent.id, 'go');
      await sleep(500 + 150 * n);
      const { status } = await cancel(tenant, agent.id, executionId);
      return { status, stopReason: (await followed(tenant, agent.id, executionId)).at(-1)?.stopReason };
    }),
  );
  // One that was over already is a 409.
  const expected = ends.map(({ status }) =>
    status === 409 ? { status, stopReason: 'max_turns' } : { status: 200, stopReason: 'cancelled' },
  );
  expect(ends).toEqual(expected);
});
