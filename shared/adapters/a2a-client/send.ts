import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SendMessageRequest, StreamResponse } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { checkedUrl } from '../net/checked-url.ts';
import { slowServer } from '../net/fetch-failure.ts';
import type { A2aEvent, A2aRequest } from '../ports/a2a-port.ts';
import { A2aAnswer } from './answer.ts';
import { connectAgent, type Way, waysToTry } from './connect.ts';
import { isOtherVersion, isUnaccepted, toA2aFailure } from './failure.ts';
import { guardedA2aFetch } from './guarded-fetch.ts';
import { toPart } from './parts.ts';

const pollMsMax = 5_000;
const retryMsMax = 10_000;
const cancelMsMax = 1_000;

export async function* sendToAgent(request: A2aRequest): AsyncGenerator<A2aEvent> {
  const { agent, timeoutMs } = request;
  request.signal.throwIfAborted();
  checkedUrl(agent.url);
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
    yield* polled(client, answer, signal);
    yield* completed(client, answer, signal);
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
  const fetch = guardedA2aFetch(request.headers);
  const message = messageOf(request);
  const [first, ...others] = waysToTry(request.agent);
  let way = first as Way;
  for (let attempt = 0; ; ) {
    const client = await connectAgent(request.agent, way, fetch);
    const responses = client.sendMessageStream(message, { signal });
    try {
      const begun = await responses.next();
      return { client, responses: resumed(begun, responses) };
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

async function* resumed(
  first: IteratorResult<StreamResponse, void>,
  rest: AsyncGenerator<StreamResponse, void>,
): AsyncGenerator<StreamResponse> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** A stream may end, and a request may be answered, before the task is over. */
async function* polled(client: Client, answer: A2aAnswer, signal: AbortSignal): AsyncGenerator<A2aEvent> {
  for (let waitMs = 250; !answer.isOver; waitMs = Math.min(waitMs * 1.5, pollMsMax)) {
    if (!answer.taskId) throw new Error('The agent answered nothing');
    await pause(waitMs, undefined, { signal });
    yield* answer.addTask(await taskOf(client, answer.taskId, signal));
  }
}

/** Some agents say that they are done before they say what they did. */
async function* completed(client: Client, answer: A2aAnswer, signal: AbortSignal): AsyncGenerator<A2aEvent> {
  if (!answer.isEmpty || !answer.taskId) return;
  const task = await taskOf(client, answer.taskId, signal).catch(() => undefined);
  if (task) yield* answer.addTask(task);
}

const taskOf = (client: Client, id: string, signal: AbortSignal) =>
  client.getTask({ tenant: '', id, historyLength: 0 }, { signal });

/** The agent does not have to work on for nobody. That it cannot be told does not matter. */
const cancel = (client: Client, id: string) =>
  client
    .cancelTask({ tenant: '', id, metadata: undefined }, { signal: AbortSignal.timeout(cancelMsMax) })
    .catch(() => {});

/** `ROLE_USER` of the protocol. */
const user = 1;

/** The same id in each attempt, so that a server can recognise a repeated message. */
function messageOf({ parts, skillId, contextId = '', taskId = '' }: A2aRequest): SendMessageRequest {
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
