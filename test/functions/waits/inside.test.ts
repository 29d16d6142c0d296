import { expect, test } from 'vitest';
import { sweepRun } from '../../../shared/execution/agent-runs/sweep-runs.ts';
import {
  answered,
  approve,
  calls,
  createScriptedAgent,
  run,
  scripted,
} from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const asking = async (tenant: Tenant, agentId: string, more: object = {}) => {
  const { id } = await createTool(tenant, {
    name: 'ask',
    description: 'Asks',
    toolType: 'subagent',
    config: { agentId },
    parametersSchema: { type: 'object', properties: { message: { type: 'string' } } },
  });
  return createScriptedAgent(tenant, { tools: { toolIds: [id], ...more } });
};

const sum = calls(['calculator', { expression: '19 + 23' }]);
const bottom = scripted(sum, { text: 'bottom' });
const middle = scripted(calls(['ask', { message: bottom }]), { text: 'middle' });
const top = scripted(calls(['ask', { message: middle }]), { text: 'top' });

async function threeLevels(options: object = {}) {
  const tenant = await newTenant();
  const approval = { require: true };
  const inner = await createScriptedAgent(tenant, { tools: { toolIds: ['builtin:calculator'], approval } });
  const between = await asking(tenant, inner.id);
  const outer = await asking(tenant, between.id);
  const answer = run(tenant, outer.id, top, { options });
  return { tenant, inner, outer, answer };
}

const listed = async ({ call }: Tenant) => (await expectStatus(200, call('GET', '/v1/waits'))).data;
const statusOf = async ({ call }: Tenant, id: string) =>
  (await expectStatus(200, call('GET', `/v1/runs/${id}`))).status;

test('three levels deep: all suspend, and all go on after the answer, in another process', async () => {
  const { tenant, inner, outer, answer } = await threeLevels();
  const { executionId, status, pausedReason } = await answered(answer);
  expect(status).toBe('paused');
  expect(pausedReason.awaits).toMatchObject([{ awaitReason: 'approval', toolName: 'ask' }]);
  expect(await statusOf(tenant, executionId)).toBe('paused');
  const [wait, ...others] = await listed(tenant);
  expect(others).toEqual([]);
  expect(wait).toMatchObject({
    kind: 'tool-approval',
    agentId: inner.id,
    rootRunId: executionId,
    details: { tool: 'calculator' },
  });
  expect(wait.runId).not.toBe(executionId);
  await expectStatus(
    200,
    tenant.call('POST', `/v1/waits/${wait.id}/answer`, { body: { choice: 'approve' } }),
  );
  await eventually(async () => expect(await statusOf(tenant, executionId)).toBe('completed'));
  const path = `/v1/agents/${outer.id}/executions/${executionId}`;
  expect(await expectStatus(200, tenant.call('GET', path))).toMatchObject({
    finalOutput: 'top',
    iterations: 2,
  });
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/runs?root=false&kind=agent`));
  expect(data).toHaveLength(3);
  expect(data.every((row: { status: string }) => row.status === 'completed')).toBe(true);
  expect(await listed(tenant)).toEqual([]);
});

test('whoever started the run may answer by its own id; a denial reaches the agent that asked', async () => {
  const { tenant, outer, answer } = await threeLevels();
  const { executionId, pausedReason } = await answered(answer);
  const [{ approvalId }] = pausedReason.awaits;
  const decision = { executionId, approvalId, decision: 'denied', reason: 'Too early' };
  expect(await expectStatus(200, approve(tenant, outer.id, decision))).toMatchObject({
    status: 'completed',
    result: 'top',
  });
  expect(await listed(tenant)).toEqual([]);
});

test('nobody answers in time: the call is denied, and all go on', async () => {
  const { tenant, answer } = await threeLevels();
  const { executionId } = await answered(answer);
  const now = new Date(Date.now() + 2 * 86_400_000);
  await sweepRun(countingRuntime().scopeOf(tenant.tenant), executionId, { now, atStart: false });
  await eventually(async () => expect(await statusOf(tenant, executionId)).toBe('completed'));
  expect((await expectStatus(200, tenant.call('GET', '/v1/waits?status=expired'))).data).toHaveLength(1);
});

test('a run in the background suspends likewise; cancelled, it takes the question with it', async () => {
  const { tenant, answer } = await threeLevels({ background: true });
  const { executionId } = await expectStatus(202, answer);
  await eventually(async () => expect(await listed(tenant)).toHaveLength(1));
  await eventually(async () => expect(await statusOf(tenant, executionId)).toBe('paused'));
  await expectStatus(200, tenant.call('POST', `/v1/runs/${executionId}/cancel`));
  expect(await listed(tenant)).toEqual([]);
});

// n8n-io/n8n#18854: the workflow around went on after the first of several approvals inside.
// n8n-io/n8n#34645: the agent got the answer of the person in place of the result of its tool.
test('after the first of two approvals inside, the runs around wait for the second; the tools have really run', async () => {
  const tenant = await newTenant();
  const approval = { require: true };
  const inner = await createScriptedAgent(tenant, { tools: { toolIds: ['builtin:calculator'], approval } });
  const outer = await asking(tenant, inner.id);
  const product = calls(['calculator', { expression: '6 * 7' }]);
  const task = scripted(sum, product, { text: 'both' });
  const script = scripted(calls(['ask', { message: task }]), { text: 'over' });
  const { executionId } = await answered(run(tenant, outer.id, script));
  const answer = async () => {
    const [wait] = await eventually(async () => {
      const open = await listed(tenant);
      expect(open).toHaveLength(1);
      return open;
    });
    await expectStatus(
      200,
      tenant.call('POST', `/v1/waits/${wait.id}/answer`, { body: { choice: 'approve' } }),
    );
    return wait;
  };
  const first = await answer();
  await eventually(async () => expect(await listed(tenant)).toHaveLength(1));
  await eventually(async () => expect(await statusOf(tenant, executionId)).toBe('paused'));
  const second = await answer();
  expect(second.id).not.toBe(first.id);
  await eventually(async () => expect(await statusOf(tenant, executionId)).toBe('completed'));
  const path = `/v1/agents/${inner.id}/executions/${first.runId}/tool-calls`;
  const { toolCalls } = await expectStatus(200, tenant.call('GET', path));
  expect(toolCalls).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  for (const { id } of toolCalls)
    expect(JSON.stringify(await expectStatus(200, tenant.call('GET', `${path}/${id}`)))).toContain('42');
});
