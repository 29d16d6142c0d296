import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { executeAgent } from '../../functions/agent-runs/execute.ts';
import { sendClientMessage } from '../../functions/client-chat/send.ts';
import { dispatch } from '../../functions/dispatch/run.ts';
import { completeOpenAiChat } from '../../functions/openai/complete-chat.ts';
import { callA2a } from '../../functions/surface-a2a/call-rpc.ts';
import { serveMcp } from '../../functions/surface-mcp/serve.ts';
import { receiveWebhook } from '../../functions/surface-webhooks/receive.ts';
import { scheduleFirer } from '../../shared/execution/schedules/fire-schedule.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { calls, createScriptedAgent, scripted } from '../support/agents/agent-runs.ts';
import { createBudget } from '../support/flows/budgets.ts';
import { createRecords, publishedFlow, template } from '../support/flows/flows.ts';
import { createSchedule, daily, finishedRuns, makeDue, scheduleSurface } from '../support/flows/schedules.ts';
import { limitedModel } from '../support/models/limited-model.ts';
import { served, userMessages } from '../support/models/openai.ts';
import { invokeWith } from '../support/stack/invoke.ts';
import { tenantPrincipal } from '../support/stack/principals.ts';
import { roundTripRuntime } from '../support/stack/round-trips.ts';
import { newTenant, type Tenant } from '../support/stack/stack.ts';
import { invokeStreaming, readStreamedAnswer } from '../support/stack/streamed.ts';
import { a2aWorld } from '../support/surfaces/a2a-surface.ts';
import { agentChat, shop } from '../support/surfaces/chat.ts';
import { mcpSurface } from '../support/surfaces/mcp-surface.ts';
import { addCapability, addItem, createProduct, createSurface } from '../support/surfaces/products.ts';

const json = { 'content-type': 'application/json' };
type Measured = ReturnType<typeof roundTripRuntime>;

/** Sends the same request again and again to one warm Lambda. */
function streaming(endpoint: AnyEndpoint, tenant: Tenant, body: object, more: object = {}) {
  return ({ runtime }: Measured) => {
    const handler = toStreamingLambda(endpoint, () => runtime);
    return async () => {
      const { stream, done } = invokeStreaming(handler, tenant, body, 60_000, more);
      const [{ head, body: answer }] = await Promise.all([readStreamedAnswer(stream), done]);
      expect(head.statusCode, answer).toBeLessThan(300);
      expect(answer).not.toMatch(/"error":(?!null)/);
    };
  };
}

async function completion(model: string, more: object = {}, tenant?: Tenant) {
  const caller = tenant ?? (await newTenant());
  const body = { model, messages: userMessages('hi'), ...more };
  return streaming(completeOpenAiChat, caller, body, {
    headers: { ...json, authorization: `Bearer ${caller.token}` },
  });
}

const askModel = { type: 'prompt', name: 'ask', config: { model: served('echo'), userPrompt: 'hi' } };
const twoTurns = scripted(calls(['calculator', { expression: '1 + 1' }]), { text: 'two' });

/** What people pay for, as the table in docs/data-model.md names it. */
const paths: Record<string, () => Promise<(measured: Measured) => () => Promise<void>>> = {
  'A model through `/v1/openai/chat/completions`': () => completion(served('echo')),
  'The same, streamed': () => completion(served('echo'), { stream: true }),
  'The same with a budget and limits of its config': async () => {
    const tenant = await newTenant();
    await createBudget(tenant);
    const { id } = await limitedModel(tenant, { requestsPerMinute: 600, maxConcurrent: 5 });
    return completion(id, {}, tenant);
  },
  '`agent/…` through it': async () => {
    const tenant = await newTenant();
    const { id } = await createScriptedAgent(tenant);
    return completion(`agent/${id}`, {}, tenant);
  },
  '`flow/…` through it, without a model': async () => {
    const tenant = await newTenant();
    const { id } = await publishedFlow(tenant, [template('x')]);
    return completion(`flow/${id}`, {}, tenant);
  },
  'A dispatch of a flow with one prompt': async () => {
    const tenant = await newTenant();
    const { id } = await publishedFlow(tenant, [askModel]);
    return streaming(dispatch, tenant, { flow: { id } });
  },
  'An agent’s run of one turn': async () => {
    const tenant = await newTenant();
    const { id } = await createScriptedAgent(tenant);
    return streaming(executeAgent, tenant, { messages: userMessages('hi') }, { pathParameters: { id } });
  },
  'An agent’s run of two turns with a tool': async () => {
    const tenant = await newTenant();
    const { id } = await createScriptedAgent(tenant, { tools: { toolIds: ['builtin:calculator'] } });
    const body = { messages: userMessages(twoTurns) };
    return streaming(executeAgent, tenant, body, { pathParameters: { id } });
  },
  'A chat message to an agent': async () => {
    const { tenant, sessionId } = await agentChat();
    const body = { sessionId, messages: userMessages('hi') };
    return streaming(sendClientMessage, tenant, body, { headers: { ...json, origin: shop } });
  },
  'A tool of an MCP surface': async () => {
    const { tenant, productId, surface, key } = await mcpSurface();
    const params = { name: 'greet', arguments: { person: 'Ada' } };
    return streaming(
      serveMcp,
      tenant,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      {
        pathParameters: { id: productId, surfaceId: surface.id },
        headers: { ...json, accept: 'application/json, text/event-stream', authorization: `Bearer ${key}` },
      },
    );
  },
  'A message to an A2A surface': async () => {
    const { tenant, productId, surface, key } = await a2aWorld();
    return (measured) => {
      const body = () => ({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: {
          message: {
            messageId: crypto.randomUUID(),
            role: 'ROLE_USER',
            parts: [{ data: { person: 'Ada' } }],
          },
        },
      });
      return () =>
        streaming(callA2a, tenant, body(), {
          pathParameters: { id: productId, surfaceId: surface.id },
          headers: { ...json, 'a2a-version': '1.0', authorization: `Bearer ${key}` },
        })(measured)();
    };
  },
  'An event of a webhook, until its 202': async () => {
    const tenant = await newTenant();
    const flow = await publishedFlow(tenant, [template('x')]);
    const { id } = await createProduct(tenant, { name: 'Hooks' });
    const capability = await addCapability(tenant, id, { capabilityName: 'Hook', flowId: flow.id });
    const surface = await createSurface(tenant, id, { type: 'webhook', status: 'active' });
    const item = await addItem(tenant, surface, { capabilityId: capability.body.id });
    return ({ runtime }) => {
      const invoke = invokeWith(
        toLambda(receiveWebhook, () => runtime),
        tenantPrincipal(tenant),
      );
      return async () => {
        const { statusCode, body } = await invoke({
          httpMethod: 'POST',
          headers: { ...json, authorization: `Bearer ${tenant.token}` },
          pathParameters: { id, surfaceId: surface.id, endpointSlug: item.body.endpointSlug },
          body: '{}',
        });
        expect(statusCode, body).toBe(202);
      };
    };
  },
  'A schedule that fires for three records': async () => {
    const tenant = await newTenant();
    const { flowId, path } = await scheduleSurface(tenant);
    await createRecords(tenant, 'airport', 3);
    const schedule = await createSchedule(tenant, path, { ...daily(flowId), recordType: 'airport' });
    let fired = false;
    return ({ runtime, begin }) =>
      async () => {
        // Else it reads the run before, too.
        if (fired) await finishedRuns(tenant, schedule.id);
        fired = true;
        await makeDue(tenant, schedule.id, new Date(Date.now() - 1_000).toISOString());
        begin();
        await scheduleFirer(runtime.scopeOf(tenant.tenant))(schedule.id, () => 60_000);
      };
  },
};

async function measure(prepare: (typeof paths)[string]) {
  const measured = roundTripRuntime();
  const send = (await prepare())(measured);
  // The first one of a process and an hour writes marks, and reads what is kept for seconds.
  await send();
  await send();
  measured.begin();
  await send();
  const trips = measured.trips();
  return { requests: trips.flat().length, trips: trips.length, units: measured.units(), all: trips };
}

const document = readFileSync('docs/data-model.md', 'utf8');

test.each(Object.entries(paths))('%s', async (name, prepare) => {
  const { requests, trips, units, all } = await measure(prepare);
  const [, row = ''] = document.split(`| ${name} | `);
  const [documented, documentedTrips, documentedUnits = 0] = row.split(' | ', 3).map(Number.parseFloat);
  expect([requests, trips], JSON.stringify(all)).toEqual([documented, documentedTrips]);
  // Times with more digits take an item over 1 KB.
  expect(Math.abs(units - documentedUnits), `${units} units`).toBeLessThanOrEqual(1);
});
