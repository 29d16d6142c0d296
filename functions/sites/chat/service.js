import { createParser } from './eventsource-parser.js';

// The API of the chat. See `/docs`, client-chat.

const requestTimeoutMs = 30_000;
/** @param {string} operation */
const addressOf = (operation) => new URL(`../v1/client/${operation}`, import.meta.url);

/** A response that is no success; `status` 0 without one. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {unknown} [details]
   */
  constructor(status, details) {
    super(typeof details === 'string' ? details : `Status ${status}`);
    this.status = status;
  }
}

/**
 * @param {string} operation
 * @param {RequestInit} request
 * @param {AbortSignal} signal
 */
async function ask(operation, request, signal) {
  /** @type {RequestInit} */
  const common = { cache: 'no-store', credentials: 'omit', redirect: 'error', signal };
  const response = await fetch(addressOf(operation), { ...common, ...request }).catch((error) => {
    if (error.name === 'AbortError') throw error;
    throw new Refused(0);
  });
  if (response.ok) return response;
  const { details } = await response.json().catch(() => ({}));
  throw new Refused(response.status, details);
}

/**
 * @param {string} operation
 * @param {object} body
 * @param {AbortSignal} signal
 */
const post = (operation, body, signal) =>
  ask(
    operation,
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    signal,
  );

/**
 * Opens the chat of a surface, or continues its session.
 * @param {string} surfaceId
 * @param {string | undefined} sessionId
 * @returns {Promise<import('./types.d.ts').Chat>}
 */
export async function openChat(surfaceId, sessionId) {
  const body = { surfaceId, ...(sessionId && { sessionId }) };
  return (await post('init', body, AbortSignal.timeout(requestTimeoutMs))).json();
}

/**
 * The events of the answer to a message.
 * @param {object} message
 * @param {AbortSignal} signal
 */
export const answerTo = (message, signal) => post('chat', message, signal).then(eventsIn);

/**
 * The events of an answer that goes on after a decision.
 * @param {object} decision
 * @param {AbortSignal} signal
 */
export const decide = (decision, signal) =>
  post('approve', { ...decision, streamResponse: true }, signal).then(eventsIn);

/**
 * The events of an answer after one of them, or all.
 * @param {import('./types.d.ts').StreamPosition & { sessionId: string | undefined }} place
 * @param {AbortSignal} signal
 */
export function eventsAfter({ sessionId, executionId, after }, signal) {
  const query = after ? `?after=${encodeURIComponent(after)}` : '';
  const headers = { authorization: `Bearer ${sessionId}` };
  return ask(`executions/${executionId}/events${query}`, { headers }, signal).then(eventsIn);
}

/** @param {object} feedback */
export const sendFeedback = (feedback) => post('feedback', feedback, AbortSignal.timeout(requestTimeoutMs));

/**
 * Each with the id by which the stream can be continued after it.
 * @param {Response} response
 * @returns {import('./types.d.ts').Events}
 */
async function* eventsIn({ body }) {
  /** @type {import('./types.d.ts').ChatEvent[]} */
  const received = [];
  /** @param {{ data: string, id?: string | undefined }} event */
  const onEvent = ({ data, id }) => received.push({ ...JSON.parse(data), streamId: id });
  const parser = createParser({ onEvent });
  const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (body)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
    yield* received.splice(0);
  }
}
