import { expect, test } from 'vitest';
import { answered, createScriptedAgent, run, scripted, streamed } from '../../support/agents/agent-runs.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('an agent answers; the response has its costs and its end', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { systemPrompt: 'You are {{ inputs.role }}.' });
  const script = scripted({ text: 'Hello' });
  const result = await answered(run(tenant, agent.id, script, { inputs: { role: 'a parrot' } }));
  expect(result).toMatchObject({
    success: true,
    status: 'completed',
    result: 'Hello',
    stopReason: 'end_turn',
    error: null,
    iterations: 1,
    totalCost: null,
    executionId: expect.stringMatching(/^exec_/),
    totalTokens: { input: expect.any(Number), output: expect.any(Number) },
  });
});

test('the stream of a run with a tool: every event in its order, numbered without gaps', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    loopConfig: { maxTurns: 5 },
    tools: { toolIds: ['builtin:calculator'] },
  });
  const script = scripted(
    { toolCalls: [{ name: 'calculator', arguments: { expression: '6 * 7' } }] },
    { text: 'It is 42.' },
  );
  const events = await streamed(tenant, agent.id, script);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  const types = events.map(({ type }) => type).filter((type) => !type.endsWith('_delta'));
  expect(types).toEqual([
    'execution_start',
    'turn_start',
    'tool_start',
    'tool_input_complete',
    'turn_complete',
    'tool_complete',
    'turn_start',
    'text_start',
    'text_complete',
    'turn_complete',
    'execution_complete',
  ]);
  expect(events.at(-1)).toMatchObject({
    kind: 'agent',
    success: true,
    finalOutput: 'It is 42.',
    iterations: 2,
    stopReason: 'end_turn',
  });
});
