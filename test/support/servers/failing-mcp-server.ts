import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  mcpEvent,
  type RpcMessage,
  respondJson,
  respondWithNothing,
  result,
  sse,
  toolText,
} from './hostile-mcp-server.ts';
import { serveHttp } from './serve.ts';

/** When it closes the connection: before it answers, or in the middle of its answer. */
export type ServerDeath = 'list' | 'call' | 'mid-call';

/**
 * An MCP server with the tool `work` that dies. Each URL is a server of its own: `<url>/<name>/<death>` is one that
 * dies so; `<url>/<name>/alive` dies when `POST <url>/<name>/die` has been asked. `GET <url>/<name>/calls` says how many
 * calls came.
 */
export async function startFailingMcpServer() {
  const calls = new Map<string, number>();
  const dead = new Set<string>();

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const [, name = '', what] = (request.url ?? '').split('/');
    if (what === 'calls') return respondJson(response, calls.get(name) ?? 0);
    if (what === 'die') return respondJson(response, dead.add(name).size > 0);
    const body = await text(request);
    const message: RpcMessage = body ? JSON.parse(body) : { method: request.method };
    const { id, method } = message;
    if (dead.has(name)) return response.destroy();
    if (method === 'tools/list') {
      if (what === 'list') return response.destroy();
      return result(response, id, { tools: [{ name: 'work', inputSchema: { type: 'object' } }] });
    }
    if (method !== 'tools/call') return respondWithNothing(message, response);
    calls.set(name, (calls.get(name) ?? 0) + 1);
    if (what === 'alive') return result(response, id, toolText('worked'));
    if (what === 'mid-call') {
      const whole = mcpEvent({ jsonrpc: '2.0', id, result: toolText('worked') });
      await new Promise<void>((resolve) => sse(response).write(whole.slice(0, 30), () => resolve()));
    }
    return response.destroy();
  }

  return serveHttp((request, response) => void respond(request, response));
}
