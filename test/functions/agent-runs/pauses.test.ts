import { expect, test } from 'vitest';
import {
  answered,
  approve,
  calls,
  createScriptedAgent,
  followed,
  resumeAgentRun,
  run,
  scripted,
  streamed,
} from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant } from '../../support/stack/stack.ts';

const local = {
  name: 'thermometer',
  description: 'Reads it',
  toolType: 'local',
  parametersSchema: { type: 'object', properties: { room: { type: 'string' } } },
  config: {},
};
const approval = { require: ['calculator'] };
const calculate = (expression: string) => ['calculator', { expression }] as [string, object];

test('a call that needs an approval pauses the run; approved, it runs once and the run goes on', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: ['builtin:calculator'], approval } });
  const script = scripted(calls(calculate('6 * 7')), { text: 'done' });
  const paused = await answered(run(tenant, agent.id, script));
  expect(paused).toMatchObject({ success: true, status: 'paused', result: null, iterations: 1 });
  expect(paused.durationMs).toBeGreaterThan(0);
  const { executionId, awaits } = paused.pausedReason;
  expect(awaits).toMatchObject([
    { awaitReason: 'approval', toolName: 'calculator', parameters: { expression: '6 * 7' } },
  ]);
  const { approvalId } = awaits[0];
  const body = { executionId, approvalId, decision: 'approved' };
  const ended = await answered(approve(tenant, agent.id, body));
  expect(ended).toMatchObject({ success: true, status: 'completed', result: 'done', iterations: 2 });
  expect((await approve(tenant, agent.id, body)).status).toBe(409);
  const events = await followed(tenant, agent.id, executionId);
  expect(events.filter(({ type }) => type === 'tool_complete')).toMatchObject([
    { success: true, result: { number: 42 } },
  ]);
  expect(events.map(({ type }) => type)).toEqual([
    'execution_start',
    'turn_start',
    'tool_start',
    'tool_input_complete',
    'turn_complete',
    'approval_start',
    'await',
    'approval_complete',
    'execution_start',
    'tool_complete',
    'turn_start',
    'text_start',
    'text_delta',
    'text_complete',
    'turn_complete',
    'execution_complete',
  ]);
});

test('a denied call fails, with the reason; the run goes on', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    tools: { toolIds: ['builtin:calculator'], approval: { require: true } },
  });
  const script = scripted(calls(calculate('1')), { text: 'I may not' });
  const { pausedReason } = await answered(run(tenant, agent.id, script));
  const { executionId, awaits } = pausedReason;
  const denied = { executionId, approvalId: awaits[0].approvalId, decision: 'denied', reason: 'Too dear' };
  expect(await answered(approve(tenant, agent.id, denied))).toMatchObject({ result: 'I may not' });
  const [complete] = (await followed(tenant, agent.id, executionId)).filter(
    ({ type }) => type === 'tool_complete',
  );
  expect(complete).toMatchObject({ success: false, error: 'The call was denied: Too dear' });
});

test('a run that waits for several answers stays paused until the last; the others are refused', async () => {
  const tenant = await newTenant();
  const { id: toolId } = await createTool(tenant, local);
  const agent = await createScriptedAgent(tenant, {
    tools: { toolIds: [toolId, 'builtin:calculator'], approval },
  });
  const script = scripted(
    calls(['thermometer', { room: 'a' }], calculate('2'), ['thermometer', { room: 'b' }]),
    { text: 'all there' },
  );
  const paused = await answered(run(tenant, agent.id, script));
  const { executionId, awaits } = paused.pausedReason;
  const [first, second, third] = awaits;
  expect(awaits.map(({ awaitReason }: { awaitReason: string }) => awaitReason)).toEqual([
    'local_tool',
    'approval',
    'local_tool',
  ]);
  const outputs = (toolOutputs: object) => resumeAgentRun(tenant, agent.id, { executionId, toolOutputs });
  expect((await outputs({})).status).toBe(400);
  expect((await outputs({ [second.toolCallId]: 1 })).status).toBe(400);
  const partly = await answered(outputs({ [first.toolCallId]: 20 }));
  expect(partly).toMatchObject({ status: 'paused', pausedReason: { executionId } });
  expect((await outputs({ [first.toolCallId]: 20 })).status).toBe(400);
  const decision = { executionId, approvalId: second.approvalId, decision: 'approved' };
  expect(await answered(approve(tenant, agent.id, decision))).toMatchObject({ status: 'paused' });
  const ended = await answered(outputs({ [third.toolCallId]: 25 }));
  expect(ended).toMatchObject({ status: 'completed', result: 'all there' });
  const results = (await followed(tenant, agent.id, executionId)).filter(
    ({ type }) => type === 'tool_complete',
  );
  expect(results.map(({ result }) => result?.number ?? result).sort()).toEqual([2, 20, 25]);
});

test('the stream of a paused run ends with await; numbers go on when it is continued', async () => {
  const tenant = await newTenant();
  const { id: toolId } = await createTool(tenant, local);
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: [toolId] } });
  const events = await streamed(tenant, agent.id, scripted(calls(['thermometer', {}]), { text: 'warm' }));
  const last = events.at(-1);
  expect(last).toMatchObject({ type: 'await', awaitReason: 'local_tool', toolName: 'thermometer' });
  const body = { executionId: last?.executionId, toolOutputs: { thermometer: 21 } };
  const ended = await expectStatus(200, resumeAgentRun(tenant, agent.id, body));
  expect(ended).toMatchObject({ status: 'completed', result: 'warm' });
  const rest = await followed(tenant, agent.id, body.executionId as string, last?.seq);
  expect(rest[0]).toMatchObject({ type: 'tool_complete', seq: (last?.seq ?? 0) + 1, result: 21 });
});

test('of twenty simultaneous answers one continues the run', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: ['builtin:calculator'], approval } });
  const { pausedReason } = await answered(
    run(tenant, agent.id, scripted(calls(calculate('1')), { text: 'x' })),
  );
  const { executionId, awaits } = pausedReason;
  const body = { executionId, approvalId: awaits[0].approvalId, decision: 'approved' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => approve(tenant, agent.id, body)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
});

test('another tenant, another agent and unknown ids: 404', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: ['builtin:calculator'], approval } });
  const another = await createScriptedAgent(tenant);
  const { pausedReason } = await answered(
    run(tenant, agent.id, scripted(calls(calculate('1')), { text: 'x' })),
  );
  const { executionId, awaits } = pausedReason;
  const body = { executionId, approvalId: awaits[0].approvalId, decision: 'approved' };
  expect((await approve(other, agent.id, body)).status).toBe(404);
  expect((await approve(tenant, another.id, body)).status).toBe(404);
  const unknown = `appr_${'0'.repeat(26)}`;
  expect((await approve(tenant, agent.id, { ...body, approvalId: unknown })).status).toBe(404);
  expect((await answered(approve(tenant, agent.id, body))).status).toBe('completed');
});

test('the caller brings tools of its own', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant);
  const clientTools = [{ name: 'ask_user', description: 'Asks', parametersSchema: { type: 'object' } }];
  const script = scripted(calls(['ask_user', { q: 'Tea?' }]), { text: 'tea it is' });
  const { executionId, pausedReason } = await answered(run(tenant, agent.id, script, { clientTools }));
  expect(pausedReason.awaits).toMatchObject([{ toolName: 'ask_user', parameters: { q: 'Tea?' } }]);
  const ended = await answered(
    resumeAgentRun(tenant, agent.id, { executionId, toolOutputs: { ask_user: 'yes' } }),
  );
  expect(ended).toMatchObject({ status: 'completed', result: 'tea it is' });
  const broken = [{ ...clientTools[0], parametersSchema: { type: 'nonsense' } }];
  const refused = await expectStatus(400, run(tenant, agent.id, script, { clientTools: broken }));
  expect(refused.details[0].path).toContain('clientTools.0.parametersSchema');
});

test('an answer that must fit a schema is corrected once', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant);
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const options = { responseFormat: { type: 'json', schema } };
  const answer = (...texts: string[]) =>
    answered(run(tenant, agent.id, scripted(...texts.map((text) => ({ text }))), { options }));
  expect(await answer('{"n":"one"}', '```json\n{"n":1}\n```')).toMatchObject({
    result: { n: 1 },
    iterations: 2,
  });
  expect(await answer('no', '{"m":1}')).toMatchObject({
    success: false,
    stopReason: 'error',
    error: expect.stringContaining('does not fit'),
  });
});
