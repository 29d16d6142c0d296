import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createMcpHandler,
  inputRequired,
  McpServer,
  WebStandardStreamableHTTPServerTransport as ServerTransport,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

/** The tools of the SDK's example server, and some that it lacks. */
function exampleServer(protocolVersions?: string[]): McpServer {
  const server = new McpServer(
    { name: 'example', version: '1.0.0' },
    {
      capabilities: { logging: {} },
      ...(protocolVersions && { supportedProtocolVersions: protocolVersions }),
    },
  );
  const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
  const none = z.object({});
  const name = z.object({ name: z.string() });
  server.registerTool('greet', { inputSchema: name }, async (args) => text(`Hello, ${args.name}!`));
  server.registerTool('multi-greet', { inputSchema: name }, async (args, { mcpReq }) => {
    for (const data of ['first', 'second']) await mcpReq.log('info', data);
    return text(`Good morning, ${args.name}!`);
  });
  server.registerTool(
    'get_weather',
    {
      inputSchema: z.object({ city: z.string() }),
      outputSchema: z.object({ celsius: z.number(), city: z.string() }),
    },
    async ({ city }) => ({ ...text('ignored'), structuredContent: { celsius: 21.5, city } }),
  );
  server.registerTool('fail', { inputSchema: none }, async () => ({
    ...text('The disk is full'),
    isError: true,
  }));
  server.registerTool('picture', { inputSchema: none }, async () => ({
    content: [
      { type: 'text', text: 'Here' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'words' } },
      { type: 'resource', resource: { uri: 'file:///a.bin', blob: 'aGk=' } },
      { type: 'resource_link', uri: 'file:///b.txt', name: 'b' },
    ],
  }));
  const region = z.string().meta({ 'x-mcp-header': 'Region' });
  server.registerTool('in-region', { inputSchema: z.object({ region }) }, async (args) =>
    text(`in ${args.region}`),
  );
  server.registerTool('ask-first', { inputSchema: none }, async () =>
    inputRequired({ inputRequests: { roots: inputRequired.listRoots() } }),
  );
  return server;
}

export interface McpServerKind {
  /** `modern`: protocol 2026-07-28. The others are older ones. */
  kind: 'modern' | 'stateless' | 'session';
  answers?: Answers;
  protocolVersions?: string[];
}

/** An HTTP server of the official SDK, and the requests that it got: `<HTTP method> <method of the message>`. */
export async function startMcpServer({ kind, answers = 'sse', protocolVersions }: McpServerKind) {
  const asked: string[] = [];
  const seen: Request[] = [];
  const handle = { modern, stateless, session }[kind](() => exampleServer(protocolVersions), answers);
  const server = createServer(async (incoming, response) => {
    const request = requestOf(incoming);
    seen.push(request.clone());
    const body = await request.clone().text();
    asked.push([request.method, body && JSON.parse(body).method].filter(Boolean).join(' '));
    await answer(response, await handle(request));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://${host}/mcp`, host, asked, seen, close };
}

type Make = () => McpServer;
type Answers = 'json' | 'sse';

const modern = (make: Make, answers: Answers) => {
  const { fetch } = createMcpHandler(make, {
    legacy: 'reject',
    responseMode: answers === 'json' ? 'auto' : 'sse',
  });
  return (request: Request) => fetch(request);
};

const stateless = (make: Make, answers: Answers) => async (request: Request) => {
  const transport = new ServerTransport({ enableJsonResponse: answers === 'json' });
  await make().connect(transport);
  return transport.handleRequest(request);
};

const session = (make: Make, answers: Answers) => {
  const sessions = new Map<string, ServerTransport>();
  return async (request: Request) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known) return known.handleRequest(request);
    const transport: ServerTransport = new ServerTransport({
      enableJsonResponse: answers === 'json',
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await make().connect(transport);
    return transport.handleRequest(request);
  };
};

function requestOf(incoming: IncomingMessage): Request {
  const { method = '', url, headers } = incoming;
  const body = method === 'POST' ? Readable.toWeb(incoming) : undefined;
  return new Request(`http://${headers.host}${url}`, {
    method,
    headers: headers as Record<string, string>,
    ...(body && { body: body as never, duplex: 'half' }),
  });
}

async function answer(response: ServerResponse, given: Response): Promise<void> {
  response.writeHead(given.status, Object.fromEntries(given.headers));
  if (!given.body) return void response.end();
  await pipeline(Readable.fromWeb(given.body as never), response).catch(() => {});
}
