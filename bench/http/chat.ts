import { setTimeout as sleep } from 'node:timers/promises';
import { agentInstructions, publishedAgent } from '../agents/published-agent.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { type BenchStack, startBenchStack, startModelServer } from '../measure/stack.ts';
import { postJson, timeToFirst } from './first-byte.ts';

const question = 'Say something about the weather in Oslo tomorrow';
const turns = 60;
const warmUpTurns = 10;
const streams = 500;
/** Of one network of visitors, in a minute. */
const streamsPerToken = 50;

/** (y) The chat of web pages. */
export async function measureChat(): Promise<Figure[]> {
  printProgress('y: the chat of web pages: the first text, the requests, idle streams, a long conversation');
  return [...(await oneVisitor()), await idleStreams(), await longConversation()];
}

async function oneVisitor(): Promise<Figure[]> {
  using models = await startModelServer();
  await using stack = await startBenchStack({ modelsUrl: models.url });
  const token = await newToken(stack);
  const askModel = () =>
    postJson(`${models.url}/chat/completions`, 'none', {
      model: 'any',
      stream: true,
      messages: [
        { role: 'system', content: agentInstructions },
        { role: 'user', content: question },
      ],
    });
  const times = { model: [] as number[], chat: [] as number[] };
  let sessionId = '';
  for (let turn = -warmUpTurns; turn < turns; turn++) {
    // So that the history stays short.
    if (turn % 5 === 0) sessionId = await newSession(stack, token);
    const model = await timeToFirst(askModel, '"content":');
    const text = await timeToFirst(() => sendChatMessage(stack, sessionId), 'event: text_delta');
    if (turn < 0) continue;
    times.model.push(model);
    times.chat.push(text);
  }
  const [modelMs, chatMs] = [median(times.model), median(times.chat)];
  return [
    {
      figure: 'y',
      what: 'time to the first text of a chat message to an agent, beyond that of the model',
      value: round(chatMs - modelMs, 2),
      unit: 'ms',
      goal: { atMost: 20 },
      details: { modelMs: round(modelMs, 2), chatMs: round(chatMs, 2), turns },
    },
    await requestsOfMessage(stack, sessionId),
  ];
}

/** Beyond those of a run of the same agent by its own endpoint. */
async function requestsOfMessage(stack: BenchStack, sessionId: string): Promise<Figure> {
  const { data: agents } = await stack.api.call('agents.list');
  const id = agents[0]?.id ?? '';
  const { url, liveKey } = stack.facts;
  const body = { messages: [{ role: 'user', content: question }] };
  const chat = await requestsOf(stack, () => sendChatMessage(stack, sessionId));
  const run = await requestsOf(stack, () => postJson(`${url}/v1/agents/${id}/execute`, liveKey, body));
  return {
    figure: 'y',
    what: 'DynamoDB requests of a chat message, beyond those of a run of its agent',
    value: chat.requests.length - run.requests.length,
    unit: 'requests',
    goal: { atMost: 5 },
    details: { ...chat, run },
  };
}

async function requestsOf({ ask }: BenchStack, call: () => Promise<Response>) {
  await ask('startRecording', { capacity: true });
  await (await call()).text();
  // What is written after the response.
  await sleep(200);
  const sent = await ask('stopRecording');
  return {
    requests: sent.map(({ name }) => name),
    units: sent.reduce((sum, { capacityUnits }) => sum + capacityUnits, 0),
  };
}

/** The memory of streams whose model has not begun to answer. */
async function idleStreams(): Promise<Figure> {
  using models = await startModelServer(undefined, { delayMs: 90_000 });
  process.env.TENANT_OPEN_REQUESTS = String(streams);
  await using stack = await startBenchStack({ modelsUrl: models.url });
  const sessions: string[] = [];
  for (let opened = 0; opened < streams; opened += streamsPerToken) {
    const token = await newToken(stack);
    for (let n = 0; n < streamsPerToken; n++) sessions.push(await newSession(stack, token));
  }
  const before = await stack.ask('memory');
  const hanging = new AbortController();
  const open = await Promise.all(
    sessions.map((sessionId) => sendChatMessage(stack, sessionId, hanging.signal)),
  );
  await sleep(2_000);
  const { heldRss } = await stack.ask('memory');
  hanging.abort();
  return {
    figure: 'y',
    what: `memory of each of ${open.length} chats that wait for their model at once, in the process that serves them`,
    value: round((heldRss - before.heldRss) / open.length / 1_000, 1),
    unit: 'kB',
    goal: { atMost: 500 },
    details: { megabytes: [before.heldRss, heldRss].map((bytes) => round(bytes / 1_000_000, 1)) },
  };
}

const messages = 1_000;

async function longConversation(): Promise<Figure> {
  await using stack = await startBenchStack();
  const { id } = await stack.api.call('conversations.create', { body: { title: 'Long' } });
  const body = {
    messages: Array.from({ length: messages }, (_, n) => ({
      id: `m${n}`,
      role: n % 2 ? ('assistant' as const) : ('user' as const),
      content: `${n} ${question}`,
    })),
  };
  await stack.api.call('conversations.update', { params: { id }, body });
  const { url, liveKey } = stack.facts;
  const headers = { authorization: `Bearer ${liveKey}` };
  const read = await requestsOf(stack, () => fetch(`${url}/v1/conversations/${id}`, { headers }));
  return {
    figure: 'y',
    what: `capacity units to open a conversation of ${messages} messages, with the gate of the request`,
    value: read.units,
    unit: 'units',
    goal: { atMost: 6 },
    details: read,
  };
}

async function newToken(stack: BenchStack): Promise<string> {
  return tokenFor(stack, await publishedAgent(stack));
}

/** A client token of an agent. */
export async function tokenFor({ api }: BenchStack, agentId: string): Promise<string> {
  const limits = { rateLimitPerMinute: 1_000, rateLimitPerHour: 10_000 };
  const { token } = await api.call('client-tokens.create', {
    body: { name: 'Bench', agentIds: [agentId], allowedOrigins: ['*'], ...limits },
  });
  return token;
}

export async function newSession({ facts }: BenchStack, token: string): Promise<string> {
  const { sessionId } = await (await postJson(`${facts.url}/v1/client/init`, 'none', { token })).json();
  return sessionId;
}

export async function sendChatMessage(
  { facts }: BenchStack,
  sessionId: string,
  signal?: AbortSignal,
): Promise<Response> {
  const response = await fetch(`${facts.url}/v1/client/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sessionId, messages: [{ role: 'user', content: question }] }),
    ...(signal && { signal }),
  });
  if (!response.ok) throw new Error(`The chat answered ${response.status}: ${await response.text()}`);
  return response;
}
