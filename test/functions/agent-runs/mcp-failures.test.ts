import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import {
  answered,
  approve,
  calls,
  createScriptedAgent,
  run,
  scripted,
} from '../../support/agents/agent-runs.ts';
import { expectRecorded, type Scenario } from '../../support/agents/agent-scenario.ts';
import type { ServerDeath } from '../../support/servers/failing-mcp-server.ts';
import { newTenant } from '../../support/stack/stack.ts';

/** An MCP server of its own, at which nobody is asked twice. */
function server(death: ServerDeath | 'alive') {
  const url = `${inject('failingMcpUrl')}/${randomUUID()}`;
  const calls = async (): Promise<number> => (await fetch(`${url}/calls`)).json();
  const die = () => fetch(`${url}/die`, { method: 'POST' });
  return { mcpServers: [{ id: 'm', url: `${url}/${death}` }], calls, die };
}

const script = [calls(['m__work'], ['calculator', { expression: '1' }]), { text: 'done' }];
const fine: [string, string] = ['calculator', 'completed'];

test.each<[ServerDeath, string, number]>([
  ['list', 'There is no tool m__work', 0],
  ['call', 'The tool m__work of the MCP server "m" failed', 1],
  ['mid-call', 'The tool m__work of the MCP server "m" failed', 1],
])(
  'an MCP server that dies at its %s: the call fails, the run goes on, nothing is called twice',
  async (death, error, asked) => {
    const tenant = await newTenant();
    const { mcpServers, calls: askedFor } = server(death);
    const agent = await createScriptedAgent(tenant, {
      tools: { toolIds: ['builtin:calculator'], mcpServers },
    });
    const outcome = await answered(run(tenant, agent.id, scripted(...script)));
    const expected: Omit<Scenario, 'script'> = {
      name: death,
      events: 'turn tool tool turn end',
      iterations: 2,
      result: 'done',
      calls: [['m__work', error], fine],
    };
    await expectRecorded(tenant, agent.id, outcome, expected);
    expect(await askedFor()).toBe(asked);
  },
);

test('the model learns of a server whose list fails, and does not get its tools', async () => {
  const tenant = await newTenant();
  const { mcpServers } = server('list');
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/mirror', tools: { mcpServers } });
  const { result } = await answered(run(tenant, agent.id, 'hello'));
  const { messages, tools } = JSON.parse(result);
  expect(tools).toBeUndefined();
  expect(messages[0]).toMatchObject({
    role: 'system',
    content: expect.stringContaining('The tools of the MCP server "m" are not available'),
  });
});

test('a server that dies while its call waits for an approval: the approved call fails', async () => {
  const tenant = await newTenant();
  const { mcpServers, calls: askedFor, die } = server('alive');
  const approval = { require: ['m__work'] };
  const agent = await createScriptedAgent(tenant, {
    tools: { toolIds: ['builtin:calculator'], mcpServers, approval },
  });
  const { executionId, pausedReason } = await answered(run(tenant, agent.id, scripted(...script)));
  await die();
  const { approvalId } = pausedReason.awaits[0];
  const outcome = await answered(
    approve(tenant, agent.id, { executionId, approvalId, decision: 'approved' }),
  );
  await expectRecorded(tenant, agent.id, outcome, {
    name: 'x',
    events: 'turn tool approval await decision tool turn end',
    iterations: 2,
    result: 'done',
    calls: [['m__work', 'The tool m__work of the MCP server "m" failed'], fine],
  });
  expect(await askedFor()).toBe(0);
});
