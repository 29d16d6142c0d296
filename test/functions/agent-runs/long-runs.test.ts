import { expect, test } from 'vitest';
import { loadRun } from '../../../shared/execution/agent-runs/run-log.ts';
import { runForLong } from '../../support/agents/long-run.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';

test('a run of 150 turns that is killed twice goes on from its last state, and does each call once', async () => {
  const { tenant, agent, execution, log, state } = await runForLong({ turns: 150, kills: 2 });
  expect(execution).toMatchObject({ status: 'completed', iterations: 150 });
  const states = log.filter(({ fact }) => fact.type === 'state');
  expect(states.length).toBeGreaterThan(1);
  expect(execution.stateAt).toBe(states.at(-1)?.n);
  const results = log.flatMap(({ fact }) => (fact.type === 'result' ? [fact.callId] : []));
  expect(results).toHaveLength(149 * 3);
  expect(new Set(results).size).toBe(results.length);
  expect(state).toMatchObject({ turns: 150, callCount: 149 * 3 });
  const { state: current } = await loadRun(countingRuntime().scopeOf(tenant.tenant), execution.id);
  const { messages: _messages, first: _first, measuredMessages: _measured, ...rest } = state;
  expect(current).toMatchObject(rest);
  const path = `/v1/agents/${agent.id}/executions/${execution.id}`;
  const { toolCalls } = await expectStatus(200, tenant.call('GET', `${path}/tool-calls`));
  expect(toolCalls.length).toBeGreaterThan(0);
});

test('limits of longer agents are taken, and no more', async () => {
  const { call } = await newTenant();
  const create = (config: object) => call('POST', '/v1/agents', { body: { name: 'Long', config } });
  expect((await create({ loopConfig: { maxTurns: 1_000 }, tools: { maxToolCalls: 5_000 } })).status).toBe(
    201,
  );
  expect((await create({ loopConfig: { maxTurns: 1_001 } })).status).toBe(400);
  expect((await create({ tools: { maxToolCalls: 5_001 } })).status).toBe(400);
});
