import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { allowHost, loopback } from './loopback.ts';

export interface RpcMessage {
  id?: number | string;
  method?: string;
  params?: { name?: string; arguments?: object };
  error?: { code: number };
}

export interface McpExchange {
  message: RpcMessage;
  response: ServerResponse;
  request: IncomingMessage;
}

const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'x', version: '1' },
};

/**
 * A server of the protocol 2025-11-25 without the SDK.
 * @param respond Responds to a request; undefined if it leaves that to the server.
 */
export async function hostileServer(respond: (exchange: McpExchange) => unknown) {
  const asked: RpcMessage[] = [];
  const closed: string[] = [];
  const { url, host } = await loopback(async (request, response) => {
    const body = await text(request);
    const message: RpcMessage = body ? JSON.parse(body) : { method: request.method };
    asked.push(message);
    response.on('close', () => closed.push(message.method ?? ''));
    if ((await respond({ message, response, request })) === undefined) respondWithNothing(message, response);
  });
  allowHost(host);
  return { url: `${url}/mcp`, host, asked, closed };
}

/** Responds to a request as a server of the protocol would that has nothing. */
export function respondWithNothing({ id, method }: RpcMessage, response: ServerResponse): void {
  if (response.headersSent) return;
  if (id === undefined) return void response.writeHead(method === 'DELETE' ? 200 : 202).end();
  if (method === 'initialize') return void result(response, id, initialized);
  if (method === undefined) return void response.writeHead(202).end();
  respondJson(response, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } });
}

/** A server of the protocol 2026-07-28 without the SDK. */
export function modernServer(
  tools: () => object[],
  call: (exchange: McpExchange) => unknown,
  nextCursor: () => string | undefined = () => undefined,
) {
  const shared = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
  return hostileServer((exchange) => {
    const { message, response } = exchange;
    if (message.method === 'server/discover') {
      return result(response, message.id, { ...shared, ...discovered });
    }
    if (message.method === 'tools/list') {
      return result(response, message.id, { ...shared, tools: tools(), nextCursor: nextCursor() });
    }
    return call(exchange);
  });
}

export function respondJson(response: ServerResponse, value: unknown, status = 200): true {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  return true;
}

export const result = (response: ServerResponse, id: RpcMessage['id'], value: unknown) =>
  respondJson(response, { jsonrpc: '2.0', id, result: value });

export const toolText = (words: string, more: object = {}) => ({
  content: [{ type: 'text', text: words }],
  ...more,
});

/** Begins a stream. */
export const sse = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

export const mcpEvent = (value: object, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`;
