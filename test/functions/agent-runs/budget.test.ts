import { expect, test } from 'vitest';
import {
  answered,
  calls,
  createScriptedAgent,
  resumeAgentRun,
  run,
  scripted,
} from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { pricedModel } from '../../support/models/model-configs.ts';
import type { ScriptedTurn } from '../../support/models/scripted-model.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const maxCost = 0.03;
/** A response of 50 tokens costs half a cent. */
const prices = { input: 0.000001, output: 0.1, tokensMax: 50 };
const long = 'word '.repeat(35);
const talk: ScriptedTurn = {
  text: long,
  toolCalls: [{ name: 'calculator', arguments: { expression: '1' } }],
};
const spawns = (task: string, count: number): ScriptedTurn => ({
  text: long,
  toolCalls: Array(count).fill({
    name: 'spawn_agent',
    arguments: { task, tools: ['builtin:calculator'], maxTurns: 10 },
  }),
});

/** What a run and all those inside of it cost. */
async function costs(tenant: Tenant, agentId: string, executionId: string): Promise<number[]> {
  const path = `/v1/agents/${agentId}/executions`;
  const { totalCost } = await expectStatus(200, tenant.call('GET', `${path}/${executionId}`));
  const inside = await expectStatus(200, tenant.call('GET', `${path}?parentExecutionId=${executionId}`));
  const below = inside.data.map(({ id }: { id: string }) => costs(tenant, agentId, id));
  return [Number(totalCost), ...(await Promise.all(below)).flat()];
}

test.each([1, 2, 3])(
  '%i levels of spawned agents together keep to the maxCost of the root',
  async (levels) => {
    const tenant = await newTenant();
    const agent = await createScriptedAgent(tenant, {
      model: await pricedModel(tenant, prices),
      loopConfig: { maxTurns: 10, maxCost },
      tools: {
        toolIds: ['builtin:calculator'],
        subagentConfig: { toolPool: ['builtin:calculator'], allowNesting: true, maxSpawnsPerRun: 20 },
      },
    });
    let script = scripted(talk, talk, talk, talk, { text: long });
    for (let level = 1; level <= levels; level++) {
      script = scripted(spawns(script, 5), spawns(script, 5), { text: long });
    }
    const { executionId, totalCost } = await answered(run(tenant, agent.id, script));
    const [root, ...inside] = await costs(tenant, agent.id, executionId);
    expect(root).toBe(Number(totalCost));
    expect(Number(totalCost)).toBeLessThanOrEqual(maxCost);
    // It is used, and what was spent inside is a part of it.
    expect(Number(totalCost)).toBeGreaterThan(maxCost / 2);
    expect(inside.filter((cost) => cost > 0).length).toBeGreaterThan(0);
  },
);

test('agents as tools, advisors and tools with models draw from the same budget', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant, prices);
  const inner = await createScriptedAgent(tenant, { model, tools: { toolIds: ['builtin:calculator'] } });
  const agent = await createScriptedAgent(
    tenant,
    { model, advisor: { model }, loopConfig: { maxTurns: 10, maxCost } },
    { capabilities: [{ toolName: 'ask', subAgentId: inner.id }] },
  );
  const message = scripted(talk, talk, talk, { text: long });
  const question = scripted({ text: long });
  const turn = calls(['ask', { message }], ['ask_advisor', { question }], ['ask', { message }]);
  const { totalCost } = await answered(run(tenant, agent.id, scripted(turn, turn, turn)));
  expect(Number(totalCost)).toBeLessThanOrEqual(maxCost);
  expect(Number(totalCost)).toBeGreaterThan(maxCost / 2);
});

test('agents that run side by side wait for each other if the budget is short, and all of them answer', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant, { ...prices, tokensMax: 280 });
  const agent = await createScriptedAgent(tenant, {
    model,
    loopConfig: { maxTurns: 10, maxCost: 0.05 },
    tools: { subagentConfig: { toolPool: [] } },
  });
  const spawn: [string, object] = ['spawn_agent', { task: scripted({ text: 'here' }) }];
  const { executionId, result } = await answered(
    run(tenant, agent.id, scripted(calls(spawn, spawn, spawn, spawn), { text: 'done' })),
  );
  expect(result).toBe('done');
  const path = `/v1/agents/${agent.id}/executions?parentExecutionId=${executionId}`;
  const { data } = await expectStatus(200, tenant.call('GET', path));
  expect(data).toHaveLength(4);
  for (const child of data) expect(child).toMatchObject({ status: 'completed', stopReason: 'end_turn' });
});

test('a run that goes on after a pause keeps the limits that its code has used', async () => {
  const tenant = await newTenant();
  const local = { name: 'thermometer', toolType: 'local', config: {}, parametersSchema: { type: 'object' } };
  const { id } = await createTool(tenant, local);
  const agent = await createScriptedAgent(tenant, {
    tools: {
      toolIds: ['builtin:calculator', id],
      perToolLimits: { calculator: { maxCalls: 2 } },
      codeModeConfig: { toolPool: ['builtin:calculator'] },
    },
  });
  const code = (fails = '') =>
    calls(['run_code', { code: `await tools.calculator({ expression: "1" }); ${fails}` }]);
  const script = scripted(code(), code('throw new Error("no")'), calls(['thermometer']), code(), {
    text: 'done',
  });
  const paused = await answered(run(tenant, agent.id, script));
  const { executionId, awaits } = paused.pausedReason;
  await answered(
    resumeAgentRun(tenant, agent.id, { executionId, toolOutputs: { [awaits[0].toolCallId]: 21 } }),
  );
  const path = `/v1/agents/${agent.id}/executions/${executionId}/tool-calls`;
  const { toolCalls } = await expectStatus(200, tenant.call('GET', path));
  expect(toolCalls.map(({ errorMessage }: { errorMessage: string | null }) => errorMessage)).toEqual([
    null,
    expect.stringContaining('no'),
    null,
    expect.stringContaining('The limit of 2 calls of calculator'),
  ]);
});
