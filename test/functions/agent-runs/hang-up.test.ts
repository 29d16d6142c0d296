import { once } from 'node:events';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { startModelStandIn } from '../../../examples/model-stand-in.ts';
import { handler } from '../../../functions/dispatch/run.ts';
import { calls, createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { scriptedAnswer } from '../../support/models/scripted-model.ts';
import { loopback } from '../../support/servers/loopback.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';
import { invokeStreaming } from '../../support/stack/streamed.ts';

const soon = { timeout: 10_000, interval: 10 };

// Lambdas of this process ask a model of this process, which notices who hangs up.
const models = await startModelStandIn({ answer: (request) => scriptedAnswer(request), pieceDelayMs: 50 });
beforeEach(() => {
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', models.url);
});
afterAll(() => models.close());

const start = (tenant: Tenant, id: string, content: string, options: object = {}) =>
  invokeStreaming(handler, tenant, { agent: { id }, messages: [{ role: 'user', content }], options });

/** The only execution of an agent, when it is over. */
const endOf = (tenant: Tenant, id: string) =>
  eventually(async () => {
    const { data } = await expectStatus(200, tenant.call('GET', `/v1/agents/${id}/executions`));
    expect(data).toHaveLength(1);
    expect(data[0].status).not.toBe('running');
    return expectStatus(200, tenant.call('GET', `/v1/agents/${id}/executions/${data[0].id}`));
  });

const cancelled = { status: 'cancelled', stopReason: 'cancelled', error: 'The caller disconnected' };

test.each([true, false])(
  'a caller that hangs up during a model call aborts it, and cancels the run (streamed: %s)',
  async (streamResponse) => {
    const tenant = await newTenant();
    const agent = await createScriptedAgent(tenant);
    models.options.delayMs = streamResponse ? 0 : 10_000;
    const { gone: before, asked } = { gone: models.gone(), asked: models.requests.length };
    const script = scripted({ text: 'word '.repeat(1_000) });
    const { stream, done } = start(tenant, agent.id, script, { streamResponse });
    if (streamResponse) while (!String((await once(stream, 'data'))[0]).includes('text_delta'));
    await vi.waitUntil(() => models.requests.length > asked, soon);
    stream.destroy();
    await expect(done).rejects.toThrow();
    await vi.waitUntil(() => models.gone() === before + 1, soon);
    models.options.delayMs = 0;
    expect(await endOf(tenant, agent.id)).toMatchObject({ ...cancelled, iterations: 0, finalOutput: null });
    expect(models.requests).toHaveLength(asked + 1);
  },
);

test('a caller that hangs up during a tool call aborts it; the model is not asked again', async () => {
  const tenant = await newTenant();
  const seen = { begun: 0, gone: 0 };
  const { url, host } = await loopback((_request, response) => {
    seen.begun++;
    response.on('close', () => seen.gone++);
  });
  vi.stubEnv('ALLOWED_HOSTS', [process.env.ALLOWED_HOSTS, host].join(','));
  const { id } = await createTool(tenant, { toolType: 'external', config: { url, method: 'POST' } });
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: [id] } });
  const asked = models.requests.length;
  const { stream, done } = start(tenant, agent.id, scripted(calls(['Double']), { text: 'never' }));
  stream.resume();
  await vi.waitUntil(() => seen.begun === 1, soon);
  stream.destroy();
  await expect(done).rejects.toThrow();
  await vi.waitUntil(() => seen.gone === 1, soon);
  const { id: executionId, ...execution } = await endOf(tenant, agent.id);
  expect(execution).toMatchObject({ ...cancelled, iterations: 1 });
  const path = `/v1/agents/${agent.id}/executions/${executionId}/tool-calls`;
  expect((await expectStatus(200, tenant.call('GET', path))).toolCalls).toMatchObject([
    { status: 'pending' },
  ]);
  expect(models.requests).toHaveLength(asked + 1);
});

test('a caller that hangs up during the model call of a sub-agent cancels both runs', async () => {
  const tenant = await newTenant();
  const inner = await createScriptedAgent(tenant);
  const agent = await createScriptedAgent(
    tenant,
    {},
    { capabilities: [{ toolName: 'ask', subAgentId: inner.id }] },
  );
  const { gone: before, asked } = { gone: models.gone(), asked: models.requests.length };
  const ask = calls(['ask', { message: scripted({ text: 'word '.repeat(1_000) }) }]);
  const { stream, done } = start(tenant, agent.id, scripted(ask, { text: 'never' }));
  stream.resume();
  await vi.waitUntil(() => models.requests.length === asked + 2, soon);
  stream.destroy();
  await expect(done).rejects.toThrow();
  await vi.waitUntil(() => models.gone() === before + 1, soon);
  expect(await endOf(tenant, agent.id)).toMatchObject({ ...cancelled, iterations: 1 });
  expect(await endOf(tenant, inner.id)).toMatchObject({ ...cancelled, iterations: 0 });
  expect(models.requests).toHaveLength(asked + 2);
});
