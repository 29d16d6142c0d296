import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';
import { calls, createScriptedAgent, scripted } from '../agents/agent-runs.ts';
import { oneOfEach } from '../stack/one-of-each.ts';
import { pathParameters } from '../stack/path-ids.ts';
import { newTenant } from '../stack/stack.ts';
import { a2aClient, a2aWorld, addSkill, sending, taskIn, text } from '../surfaces/a2a-surface.ts';
import { answerTo, chatWorld, openSession, shop } from '../surfaces/chat.ts';
import { expectStatus, publishedFlow, runFlowOnRecords, template } from './flows.ts';
import { finishedRuns, fire, inSeconds, makeDue } from './schedules.ts';

const prompt = { type: 'prompt', name: 'Ask', config: { model: 'generic-openai/any', userPrompt: 'hi' } };
const failing = { type: 'transform-data', name: 'Fail', config: { script: 'throw new Error("no")' } };

/** What a list requires. */
const queries: Record<string, Record<string, string>> = {
  'tools.builtin-compatible': { model: 'gpt-5-mini', provider: 'openai' },
};

/** Something in every list, and how to request its first page. */
export async function listWorld() {
  const tenant = await newTenant();
  const ids = await oneOfEach(tenant);
  const flow = await publishedFlow(tenant, [template('before', 'a'), prompt, failing]);
  await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  await createScriptedAgent(tenant, {}, { primaryFlowId: ids.flow });
  await makeDue(tenant, ids.schedule, inSeconds(-1));
  await fire(tenant, ids.schedule);
  await finishedRuns(tenant, ids.schedule);
  const [tasks, visitor] = [await a2aTasks(), await visit()];

  return {
    tenant,
    requestOf(endpoint: AnyEndpoint): Partial<APIGatewayProxyEvent> {
      if (endpoint.id.startsWith('surface-a2a.')) return tasks;
      if (endpoint.id.startsWith('client-chat.')) return visitor;
      const queryStringParameters = queries[endpoint.id] ?? null;
      return { pathParameters: pathParameters(endpoint, ids), queryStringParameters };
    },
  };
}

/** A surface with a task that has ended, and one that waits for its caller. */
async function a2aTasks(): Promise<Partial<APIGatewayProxyEvent>> {
  const world = await a2aWorld();
  const agent = await createScriptedAgent(world.tenant, {
    tools: { toolIds: ['builtin:calculator'], approval: { require: true } },
  });
  await addSkill(world, { capabilityName: 'Ask', agentId: agent.id });
  const client = await a2aClient(world.url, world.key);
  const { id: taskId } = taskIn(await client.sendMessage(sending([text('Ada')], { skillId: 'greet' })));
  const script = scripted(calls(['calculator', { expression: '1' }]), { text: 'done' });
  await client.sendMessage(sending([text(script)], { skillId: 'ask' }));
  const pathParameters = { id: world.productId, surfaceId: world.surface.id, taskId };
  return { pathParameters, headers: { authorization: `Bearer ${world.key}` } };
}

/** A visitor of a page who has sent a message. */
async function visit(): Promise<Partial<APIGatewayProxyEvent>> {
  const { token } = await chatWorld();
  const { sessionId } = await expectStatus(200, openSession(token));
  await answerTo(sessionId, 'hello');
  return { headers: { authorization: `Bearer ${sessionId}`, origin: shop } };
}
