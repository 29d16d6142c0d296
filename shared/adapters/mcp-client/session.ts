import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StepError } from '../../core/errors/step-error.ts';
import { checkUrl } from '../net/addresses.ts';
import { slowServer } from '../net/fetch-failure.ts';
import { sendableHeaders, userAgent } from '../net/sendable-headers.ts';
import type { McpFailure, McpRequest } from '../ports/mcp-port.ts';
import { exchange, makeMcpFetch, Unauthorized } from './guarded-fetch.ts';

export interface McpSession {
  client: Client;
  options: { timeout: number; signal: AbortSignal };
}

/**
 * Connects, does the work, and disconnects. A server that has forgotten the session has not done what was asked for: it is
 * asked once more in a new one, as the protocol says. @throws StepError, Unauthorized, or an error of the SDK.
 */
export async function runInSession<T>(
  request: McpRequest,
  work: (session: McpSession) => Promise<T>,
): Promise<T> {
  try {
    return await runInOneSession(request, work);
  } catch (error) {
    if (!(error instanceof ForgottenSession)) throw error;
    return await runInOneSession(request, work).catch((again) => {
      throw again instanceof ForgottenSession ? again.cause : again;
    });
  }
}

class ForgottenSession extends Error {}

async function runInOneSession<T>(
  request: McpRequest,
  work: (session: McpSession) => Promise<T>,
): Promise<T> {
  request.signal.throwIfAborted();
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const stopped = new AbortController();
  const signal = AbortSignal.any([request.signal, timeout, stopped.signal]);
  const transport = new GuardedTransport(checkUrl(request.url), request, signal, (reason) =>
    stopped.abort(reason),
  );
  const client = makeClient();
  const options = { timeout: request.timeoutMs, signal };
  try {
    const working = client.connect(transport, options).then(() => work({ client, options }));
    return await Promise.race([working, rejectOnAbort(signal)]);
  } catch (error) {
    if (!signal.aborted) {
      const isForgotten =
        transport.sessionId !== undefined && error instanceof SdkHttpError && error.data.status === 404;
      throw isForgotten ? new ForgottenSession('', { cause: error }) : error;
    }
    throw signal.reason === timeout.reason ? slowServer(request) : signal.reason;
  } finally {
    stopped.abort();
    await disconnect(transport);
  }
}

/** Offers nothing to the server. */
const makeClient = () =>
  new Client(
    { name: userAgent, version: '1' },
    { versionNegotiation: { mode: 'auto' }, inputRequired: { autoFulfill: false } },
  );

const rejectOnAbort = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** A server that does not end its session does not matter any more. */
async function disconnect(transport: GuardedTransport): Promise<void> {
  await transport.terminateSession().catch(() => {});
  await transport.close().catch(() => {});
}

type Send = StreamableHTTPClientTransport['send'];

/** @param stop Ends the session with the reason. */
class GuardedTransport extends StreamableHTTPClientTransport {
  readonly #callHeaders: Record<string, string>;

  constructor(url: URL, { headers, callId }: McpRequest, signal: AbortSignal, stop: (reason: Error) => void) {
    super(url, {
      requestInit: { headers: sendableHeaders(headers) },
      fetch: makeMcpFetch(signal, stop),
    });
    this.#callHeaders = callId === undefined ? {} : { 'idempotency-key': callId };
  }

  /** A response without an answer would keep the SDK waiting: it gets an error, which it ignores after an answer. */
  override async send(...[message, options]: Parameters<Send>): Promise<void> {
    const answerMissing = () => {
      if (!Array.isArray(message) && 'method' in message && 'id' in message) {
        const error = { code: -32_000, message: 'No answer', data: noAnswer() };
        this.onmessage?.({ jsonrpc: '2.0', id: message.id, error });
      }
    };
    const { method, id } = message as { method?: string; id?: string | number };
    const headers = method === 'tools/call' ? this.#callHeaders : {};
    const state = { headers, isStream: false, method, id };
    await exchange.run(state, () => super.send(message, { ...options, onRequestStreamEnd: answerMissing }));
    if (!state.isStream) answerMissing();
  }
}

const noAnswer = () =>
  new StepError('The MCP server ended its response without an answer', { retryable: true });

/** What an error of a session tells. @throws StepError for what is not in the words of the server. */
export function toMcpFailure(error: unknown): McpFailure {
  if (error instanceof StepError) throw error;
  if (error instanceof Unauthorized) {
    const { text: failure, status, challenge } = error;
    return { failure, status, ...(challenge !== undefined && { challenge }) };
  }
  if (error instanceof SdkHttpError) return httpFailure(error);
  if (error instanceof ProtocolError) return protocolFailure(error);
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType) throw asksBack(error);
  throw new StepError('The MCP server does not follow the protocol', { cause: error });
}

function httpFailure({ data: { status, text } }: SdkHttpError): McpFailure {
  if (status >= 400) return { failure: String(text ?? ''), status };
  throw new StepError(
    'The MCP server redirects to another origin or method, which is not followed; give the URL of the server itself',
  );
}

function protocolFailure({ message, data }: ProtocolError): McpFailure {
  if (data instanceof StepError) throw data;
  return { failure: message };
}

const asksBack = (cause: Error) =>
  new StepError('The tool asks its caller for input, which is not supported', { cause });
