/**
 * Sends a message to a foreign A2A agent and yields what it answers, whatever version and binding the agent has.
 * Order: send the message, with the agent's version first and then the others, until a server accepts it; yield the events
 * of the stream; poll the task if the stream ends before it; read a finished task that had no output once more.
 * Only requests that the server certainly did not accept are repeated, all with one message id. An unfinished task is
 * canceled when the caller leaves or fails. Errors in the words of the agent are events, all others are thrown.
 * `a2a-adapter.ts` gives it to flows and agents as the A2A port; `answer.ts` collects the parts, `guarded-fetch.ts` limits
 * what a server may send.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentCard, SendMessageRequest, StreamResponse } from '@a2a-js/sdk';
import { Client, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { A2AError } from '@a2a-js/sdk/errors';
import { StepError } from '../../core/errors/step-error.ts';
import { checkUrl } from '../net/addresses.ts';
import { fetchFailure, slowServer } from '../net/fetch-failure.ts';
import type { A2aAgent, A2aEvent, A2aRequest } from '../ports/a2a-port.ts';
import { A2aAnswer } from './answer.ts';
import { HttpFailure, makeA2aFetch } from './guarded-fetch.ts';
import { toPart } from './parts.ts';

const pollMsMax = 5_000;
const retryMsMax = 10_000;
const cancelMsMax = 1_000;

export async function* sendToAgent(request: A2aRequest): AsyncGenerator<A2aEvent> {
  const { agent, timeoutMs } = request;
  request.signal.throwIfAborted();
  checkUrl(agent.url);
  const timeout = AbortSignal.timeout(timeoutMs);
  const left = new AbortController();
  const signal = AbortSignal.any([request.signal, timeout, left.signal]);
  const answer = new A2aAnswer();
  let client: Client | undefined;
  try {
    const started = await start(request, signal);
    client = started.client;
    for await (const response of started.responses) {
      yield* answer.add(response);
      if (answer.isOver) break;
    }
    yield* pollTask(client, answer, signal);
    yield* readMissingOutput(client, answer, signal);
    yield* answer.end();
  } catch (error) {
    request.signal.throwIfAborted();
    if (timeout.aborted) throw slowServer({ url: agent.url, timeoutMs });
    yield toA2aFailure(error, agent.url);
  } finally {
    left.abort();
    if (client && answer.taskId && !answer.isOver) await cancel(client, answer.taskId);
  }
}

/** Sends the message until the server accepts it. @returns with the first response. */
async function start(request: A2aRequest, signal: AbortSignal) {
  const fetch = makeA2aFetch(request.headers);
  const message = createMessage(request);
  const [first, ...others] = listWays(request.agent);
  let way = first as Way;
  for (let attempt = 0; ; ) {
    const client = await connectAgent(request.agent, way, fetch);
    const responses = client.sendMessageStream(message, { signal });
    try {
      const begun = await responses.next();
      return { client, responses: resumeStream(begun, responses) };
    } catch (error) {
      signal.throwIfAborted();
      const next = isOtherVersion(error) ? others.shift() : undefined;
      if (next === undefined && (attempt === request.retries || !isUnaccepted(error))) throw error;
      if (next === undefined) await pause(retryMs(attempt++), undefined, { signal });
      way = next ?? way;
    }
  }
}

const retryMs = (attempt: number) => Math.min(250 * 2 ** attempt, retryMsMax) * (0.5 + Math.random() / 2);

async function* resumeStream(
  first: IteratorResult<StreamResponse, void>,
  rest: AsyncGenerator<StreamResponse, void>,
): AsyncGenerator<StreamResponse> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** A stream may end, and a request may be answered, before the task is over. */
async function* pollTask(client: Client, answer: A2aAnswer, signal: AbortSignal): AsyncGenerator<A2aEvent> {
  for (let waitMs = 250; !answer.isOver; waitMs = Math.min(waitMs * 1.5, pollMsMax)) {
    if (!answer.taskId) throw new Error('The agent answered nothing');
    await pause(waitMs, undefined, { signal });
    yield* answer.addTask(await getTask(client, answer.taskId, signal));
  }
}

/** Some agents say that they are done before they say what they did. */
async function* readMissingOutput(
  client: Client,
  answer: A2aAnswer,
  signal: AbortSignal,
): AsyncGenerator<A2aEvent> {
  if (!answer.isEmpty || !answer.taskId) return;
  const task = await getTask(client, answer.taskId, signal).catch(() => undefined);
  if (task) yield* answer.addTask(task);
}

const getTask = (client: Client, id: string, signal: AbortSignal) =>
  client.getTask({ tenant: '', id, historyLength: 0 }, { signal });

/** The agent does not have to work on for nobody. That it cannot be told does not matter. */
const cancel = (client: Client, id: string) =>
  client
    .cancelTask({ tenant: '', id, metadata: undefined }, { signal: AbortSignal.timeout(cancelMsMax) })
    .catch(() => {});

/** `ROLE_USER` of the protocol. */
const user = 1;

/** The same id in each attempt, so that a server can recognise a repeated message. */
function createMessage({ parts, skillId, contextId = '', taskId = '' }: A2aRequest): SendMessageRequest {
  return {
    tenant: '',
    message: {
      messageId: randomUUID(),
      contextId,
      taskId,
      role: user,
      parts: parts.map(toPart),
      metadata: skillId === undefined ? undefined : { skillId },
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
    },
    metadata: undefined,
  };
}

const factories = { JSONRPC: JsonRpcTransportFactory, 'HTTP+JSON': RestTransportFactory };

/** The ways to try: the agent's own version, or those that an unknown agent may have, at last without a stream. */
function listWays(agent: A2aAgent): readonly Way[] {
  const { protocolVersion, streaming = false } = agent;
  const agentVersion = protocolVersion?.startsWith('0.') ? '0.3' : '1.0';
  const versions = protocolVersion === undefined ? ['1.0', '0.3'] : [agentVersion];
  return [...new Set([streaming, false])].flatMap((isStreamed) =>
    versions.map((version) => ({ version, streaming: isStreamed })),
  );
}

interface Way {
  version: string;
  streaming: boolean;
}

/** A client for a version of the protocol. @throws StepError for a binding that HTTP clients do not have. */
async function connectAgent(
  { url, protocolBinding = 'JSONRPC' }: A2aAgent,
  { version: protocolVersion, streaming }: Way,
  fetchImpl: typeof fetch,
): Promise<Client> {
  const name = protocolBinding.toUpperCase();
  if (name !== 'JSONRPC' && name !== 'HTTP+JSON') {
    throw new StepError(
      `The agent speaks ${protocolBinding}, which is not supported; JSONRPC and HTTP+JSON are`,
    );
  }
  const card: AgentCard = {
    name: '',
    description: '',
    version: '',
    provider: undefined,
    supportedInterfaces: [{ url, protocolBinding: name, protocolVersion, tenant: '' }],
    capabilities: { streaming, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    skills: [],
    signatures: [],
    defaultInputModes: [],
    defaultOutputModes: [],
  };
  const factory = new factories[name]({ fetchImpl, legacyCompat: { enabled: true } });
  return new Client(await factory.create(url, card), card);
}

function* listCauses(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}

const getRpcCode = (error: Error) => (error as { envelopeCode?: unknown }).envelopeCode;
const getSystemCode = (error: Error) => (error as NodeJS.ErrnoException).code;

/** What an error of a client tells. @throws StepError for what is not in the words of the server. */
function toA2aFailure(error: unknown, url: string): A2aEvent {
  const causes = [...listCauses(error)];
  const http = causes.find((cause) => cause instanceof HttpFailure);
  if (http) return { type: 'failure', failure: http.text, status: http.status };
  const stepError = causes.find((cause) => cause instanceof StepError);
  if (stepError) throw stepError;
  const refusal = causes.find((cause) => cause instanceof A2AError);
  if (refusal) return { type: 'failure', failure: refusal.message };
  if (causes.some((cause) => typeof getSystemCode(cause) === 'string')) throw fetchFailure(error, url);
  throw new StepError('The agent does not follow the A2A protocol', { cause: error });
}

/** Invalid request, no such method, an operation that is not supported, and a version that the server does not have. */
const versionCodes: readonly unknown[] = [-32_600, -32_601, -32_004, -32_009];

const isOtherVersion = (error: unknown) =>
  [...listCauses(error)].some((cause) => versionCodes.includes(getRpcCode(cause)));

const unconnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Whether the server certainly did not accept the message: it was not connected, or it was too busy. */
const isUnaccepted = (error: unknown) =>
  [...listCauses(error)].some(
    (cause) =>
      unconnected.has(getSystemCode(cause) ?? '') ||
      // D13
      (cause instanceof HttpFailure && (cause.status === 429 || cause.status === 503)),
  );
