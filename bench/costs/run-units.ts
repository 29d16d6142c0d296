import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { publishedAgent } from '../agents/published-agent.ts';
import { publishGreetingProduct } from '../flows/greeting-product.ts';
import { newSession, sendChatMessage, tokenFor } from '../http/chat.ts';
import { postJson } from '../http/first-byte.ts';
import { printProgress } from '../measure/figure.ts';
import { agentModels, type BenchStack, startBenchStack, startModelServer } from '../measure/stack.ts';
import { measureUse } from '../measure/use.ts';
import type { RequestUse } from './units.ts';

const runs = 100;
/** So that the history of a conversation stays short. */
const messagesPerSession = 5;
const question = 'What is six times seven?';
/** One whose price is known. */
const model = 'generic-openai/gpt-4.1-nano';

export type RunName = 'agent' | 'chat' | 'schedule' | 'webhook';

/** What one run of each kind uses, with the request that starts it and the workers that continue it. */
export async function measureRuns(): Promise<Record<RunName, RequestUse>> {
  return { agent: await agentUse(), ...(await surfaceUses()) };
}

/** Of two turns: the model calls a tool once, and then answers. */
async function agentUse(): Promise<RequestUse> {
  using models = await startModelServer(agentModels);
  await using stack = await startBenchStack({ modelsUrl: models.url, metrics: true });
  const { id: toolId } = await stack.api.call('tools.create', { body: calculator });
  const id = await publishedAgent(stack, { model, tools: { toolIds: [toolId] } });
  const path = `${stack.facts.url}/v1/agents/${id}/execute`;
  const body = { messages: [{ role: 'user', content: question }] };
  return await useOfEach(stack, 'agent', () => postJson(path, stack.facts.liveKey, body));
}

async function surfaceUses() {
  using models = await startModelServer();
  await using stack = await startBenchStack({ modelsUrl: models.url, metrics: true });
  const chat = await useOfEach(stack, 'chat', await visitorOf(stack));
  const { flowId, productId, capabilityId } = await publishGreetingProduct(stack.api);
  const webhook = await useOfEach(stack, 'webhook', await senderTo(stack, productId, capabilityId));
  const schedule = await useOfEach(stack, 'schedule', await clockOf(stack, productId, flowId));
  return { chat, schedule, webhook };
}

async function useOfEach(stack: BenchStack, name: RunName, run: (n: number) => Promise<Response>) {
  printProgress(`${runs} runs, ${name}`);
  const bytesOf = async (n: number) => {
    const response = await run(n);
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`);
    return text.length;
  };
  for (let n = 0; n < 10; n++) await bytesOf(n);
  await sleep(quietMs);
  let bytes = 0;
  const use = await measureUse(stack, runs, async () => {
    for (let n = 10; n < runs + 10; n++) bytes += await bytesOf(n);
    await sleep(quietMs);
  });
  return { ...use, responseBytes: Math.round(bytes / runs) };
}

/** Until the workers have done what a response does not wait for. */
const quietMs = 3_000;

const calculator = {
  name: 'calculate',
  description: 'Calculates an expression',
  toolType: 'custom',
  parametersSchema: { type: 'object', properties: { expression: { type: 'string' } } },
  config: { code: 'return 42;' },
} as const;

/** A visitor of a page who says something to an agent. */
async function visitorOf(stack: BenchStack) {
  const token = await tokenFor(stack, await publishedAgent(stack, { model }));
  let sessionId = '';
  return async (n: number) => {
    if (n % messagesPerSession === 0) sessionId = await newSession(stack, token);
    return sendChatMessage(stack, sessionId);
  };
}

/** Another service that delivers a signed event. */
async function senderTo({ api, facts }: BenchStack, id: string, capabilityId: string) {
  const secret = 'a secret of the bench';
  const { id: surfaceId } = await api.call('surfaces.create', {
    params: { id },
    body: {
      name: 'Events',
      type: 'webhook',
      status: 'active',
      inbound: { signature: { scheme: 'github', secrets: [secret] } },
    },
  });
  await api.call('surfaces.add-item', {
    params: { id, surfaceId },
    body: { capabilityId, endpointSlug: 'greet' },
  });
  return (n: number) => {
    const body = JSON.stringify({ person: `person ${n}` });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-github-delivery': String(n),
      'x-hub-signature-256': `sha256=${signature}`,
    };
    const url = `${facts.url}/v1/products/${id}/surfaces/${surfaceId}/webhook/greet`;
    return fetch(url, { method: 'POST', headers, body });
  };
}

/** A schedule that fires for one record. */
async function clockOf({ api, facts }: BenchStack, id: string, flowId: string) {
  await api.call('records.create', { body: { type: 'guest', name: 'Ada' } });
  const { id: surfaceId } = await api.call('surfaces.create', {
    params: { id },
    body: { name: 'Mornings', type: 'schedule' },
  });
  const { id: scheduleId } = await api.call('schedules.create', {
    params: { id, surfaceId },
    body: { flowId, triggerType: 'recurring', cron: '0 8 * * 1', timezone: 'UTC', recordType: 'guest' },
  });
  const url = `${facts.url}/v1/products/${id}/surfaces/${surfaceId}/schedules/${scheduleId}/run-now`;
  return async () => {
    const response = await postJson(url, facts.liveKey, {});
    // A run is refused while the one before is not over.
    await sleep(scheduleMs);
    return response;
  };
}
const scheduleMs = 300;
