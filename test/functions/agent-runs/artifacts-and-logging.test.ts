import { expect, test } from 'vitest';
import {
  answered,
  calls,
  createScriptedAgent,
  followed,
  run,
  scripted,
  streamed,
} from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('an artifact is told as events, live and in a replay', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { artifacts: { enabled: true, types: ['markdown'] } });
  const script = scripted(
    calls(['create_artifact', { type: 'markdown', title: 'Plan', content: '# Plan' }]),
    {
      text: 'See the plan',
    },
  );
  const live = await streamed(tenant, agent.id, script);
  const artifacts = (events: typeof live) => events.filter(({ type }) => type.startsWith('artifact_'));
  expect(artifacts(live)).toMatchObject([
    { type: 'artifact_start', artifactType: 'markdown', title: 'Plan' },
    { type: 'artifact_delta', delta: '# Plan' },
    { type: 'artifact_complete' },
  ]);
  const replayed = await followed(tenant, agent.id, live[0]?.executionId ?? '');
  expect(artifacts(replayed)).toEqual(artifacts(live));
});

test('loggingPolicy off: the totals stay, what was said does not', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    loggingPolicy: 'off',
    tools: { toolIds: ['builtin:calculator'] },
  });
  const word = 'unspeakable';
  const script = scripted(calls(['calculator', { expression: '1' }]), { text: word });
  const { executionId, result } = await answered(run(tenant, agent.id, script));
  expect(result).toBe(word);
  const path = `/v1/agents/${agent.id}/executions/${executionId}`;
  const details = await expectStatus(200, tenant.call('GET', path));
  expect(details).toMatchObject({ status: 'completed', iterationDetails: [], inputMessages: [] });
  expect(details.totalTokens).toBeGreaterThan(0);
  expect(JSON.stringify(details)).not.toContain(word);
  expect((await expectStatus(200, tenant.call('GET', `${path}/tool-calls`))).toolCalls).toEqual([]);
  expect((await followed(tenant, agent.id, executionId)).map(({ type }) => type)).toEqual([
    'execution_start',
    'execution_complete',
  ]);
});

test('onError continue: the run ends without an error', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { errorHandling: { onError: 'continue' } });
  const result = await answered(run(tenant, agent.id, scripted({ status: 400, message: 'no' })));
  expect(result).toMatchObject({ success: true, status: 'completed', stopReason: 'error', error: null });
});
