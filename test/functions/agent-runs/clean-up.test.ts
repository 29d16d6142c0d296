import { expect, test } from 'vitest';
import {
  agentRunPartition,
  runsOfAgentPartition,
} from '../../../shared/execution/agent-runs/agent-execution.ts';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';

test('the executions of a deleted agent go with everything in them; open ones are cancelled', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    tools: { toolIds: ['builtin:calculator'], approval: { require: true } },
  });
  const long = 'x'.repeat(50_000);
  const paused = await answered(run(tenant, agent.id, scripted(calls(['calculator', { expression: long }]))));
  const ended = await answered(run(tenant, agent.id, scripted({ text: 'hello' })));
  await expectStatus(200, tenant.call('DELETE', `/v1/agents/${agent.id}`));
  const scope = countingRuntime().scopeOf(tenant.tenant);
  await eventually(async () => {
    const left = await scope.table.queryAll({ partition: runsOfAgentPartition(agent.id), index: 1 });
    expect(left).toEqual([]);
  });
  for (const { executionId } of [paused, ended]) {
    const path = `/v1/agents/${agent.id}/executions/${executionId}`;
    expect((await tenant.call('GET', path)).status).toBe(404);
    const runs = await scope.table.queryAll({
      partition: agentRunPartition(executionId),
    });
    expect(runs).toEqual([]);
  }
});
