import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StepError } from '../../core/errors/step-error.ts';
import { sendableHeaders } from '../net/sendable-headers.ts';
import type { McpRequest } from '../ports/mcp-port.ts';
import { exchange, guardedMcpFetch } from './guarded-fetch.ts';

type Send = StreamableHTTPClientTransport['send'];

/** @param stop Ends the session with the reason. */
export class GuardedTransport extends StreamableHTTPClientTransport {
  readonly #callHeaders: Record<string, string>;

  constructor(url: URL, { headers, callId }: McpRequest, signal: AbortSignal, stop: (reason: Error) => void) {
    super(url, {
      requestInit: { headers: sendableHeaders(headers) },
      fetch: guardedMcpFetch(signal, stop),
    });
    this.#callHeaders = callId === undefined ? {} : { 'idempotency-key': callId };
  }

  /** A response without an answer would keep the SDK waiting: it gets an error, which it ignores after an answer. */
  override async send(...[message, options]: Parameters<Send>): Promise<void> {
    const ended = () => {
      if (!Array.isArray(message) && 'method' in message && 'id' in message) {
        const error = { code: -32_000, message: 'No answer', data: noAnswer() };
        this.onmessage?.({ jsonrpc: '2.0', id: message.id, error });
      }
    };
    const { method, id } = message as { method?: string; id?: string | number };
    const headers = method === 'tools/call' ? this.#callHeaders : {};
    const state = { headers, isStream: false, method, id };
    await exchange.run(state, () => super.send(message, { ...options, onRequestStreamEnd: ended }));
    if (!state.isStream) ended();
  }
}

const noAnswer = () =>
  new StepError('The MCP server ended its response without an answer', { retryable: true });
