import { Client, SdkHttpError } from '@modelcontextprotocol/client';
import { checkedUrl } from '../net/checked-url.ts';
import { slowServer } from '../net/fetch-failure.ts';
import { userAgent } from '../net/user-agent.ts';
import type { McpRequest } from '../ports/mcp-port.ts';
import { GuardedTransport } from './guarded-transport.ts';

export interface McpSession {
  client: Client;
  options: { timeout: number; signal: AbortSignal };
}

/**
 * Connects, does the work, and disconnects. A server that has forgotten the session has not done what was asked for: it is
 * asked once more in a new one, as the protocol says. @throws StepError, Unauthorized, or an error of the SDK.
 */
export async function inSession<T>(
  request: McpRequest,
  work: (session: McpSession) => Promise<T>,
): Promise<T> {
  try {
    return await inOneSession(request, work);
  } catch (error) {
    if (!(error instanceof ForgottenSession)) throw error;
    return await inOneSession(request, work).catch((again) => {
      throw again instanceof ForgottenSession ? again.cause : again;
    });
  }
}

class ForgottenSession extends Error {}

async function inOneSession<T>(request: McpRequest, work: (session: McpSession) => Promise<T>): Promise<T> {
  request.signal.throwIfAborted();
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const stopped = new AbortController();
  const signal = AbortSignal.any([request.signal, timeout, stopped.signal]);
  const transport = new GuardedTransport(checkedUrl(request.url), request, signal, (reason) =>
    stopped.abort(reason),
  );
  const client = makeClient();
  const options = { timeout: request.timeoutMs, signal };
  try {
    const working = client.connect(transport, options).then(() => work({ client, options }));
    return await Promise.race([working, whenAborted(signal)]);
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

const whenAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** A server that does not end its session does not matter any more. */
async function disconnect(transport: GuardedTransport): Promise<void> {
  await transport.terminateSession().catch(() => {});
  await transport.close().catch(() => {});
}
