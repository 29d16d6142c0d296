/**
 * Responds to one MCP message, in the current protocol (2026-07-28) and in those that begin with `initialize`.
 * Order: replace ids that the SDK cannot represent, decide the protocol, check the parameters, then let the SDK call the
 * handlers of a server made for this request. Nothing lives longer than the request. `tools/call` and `prompts/get` are
 * streamed, so that a client that leaves aborts them; the others answer with JSON.
 * `functions/surface-mcp` and `functions/api-mcp` call it with what they offer as a `ServedMcp` (`served.ts`).
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
  type SpecTypeName,
  specTypeSchemas,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { pingEveryMs, type StreamedBody, streamBody } from '../../platform/http/responses/streamed-body.ts';
import { walkSubschemas } from '../json-schema/subschemas.ts';
import { headerName } from '../mcp-client/param-headers.ts';
import { translateFailures } from './failures.ts';
import { listPage } from './pages.ts';
import { protocolVersions } from './protocol-versions.ts';
import type { Completion, ReportProgress, ServedMcp } from './served.ts';

const headerNames = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

interface McpMessage {
  url: string;
  header: (name: string) => string | undefined;
  message: {
    id?: string | number | bigint | undefined;
    method?: string | undefined;
    params?: Record<string, unknown> | undefined;
  };
}

export const runningMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get']);

/** Streams what runs: only a stream stays open while nothing is sent, and tells when the caller is gone. */
export async function respondToMessage(
  { url, header, message: received }: McpMessage,
  served: ServedMcp,
  requestId: string,
): Promise<StreamedBody> {
  const { message, restored } = replaceBigints(received);
  const server = createMcpServer(served, requestId);
  const gone = new AbortController();
  const named = [...headerNames, ...paramHeaderNames(message.params, served)];
  const headers = named.flatMap((name): [string, string][] => {
    const value = header(name);
    return value === undefined ? [] : [[name, value]];
  });
  const request = new Request(url, { method: 'POST', headers, signal: gone.signal });
  const isStreamed = runningMethods.has(message.method ?? '');
  const isLegacy = await isLegacyRequest(request, message);
  // The SDK takes it for a mistake in the header.
  if (isHandshake(message) && !isLegacy) return unknownMethod(received.id);
  // The SDK says itself what the newer protocol misses in `_meta`.
  const isComplete = isLegacy || message.params?._meta !== undefined;
  const problem = message.id !== undefined && isComplete ? paramsProblem(message, served) : undefined;
  if (problem !== undefined) return createRefusal(received.id, 200, ProtocolErrorCode.InvalidParams, problem);
  const response = isLegacy
    ? await legacyResponse(request, message, server, isStreamed)
    : await modernResponse(request, message, server, isStreamed);
  // The SDK serves this method itself. Without room for subscriptions, it accepts no request that it finds correct.
  if (message.method === 'subscriptions/listen' && response.ok && !isLegacy)
    return unknownMethod(received.id);
  return toStreamedBody(response, gone, restored);
}

/**
 * The SDK takes ids and progress tokens that are texts or doubles. Other whole numbers have a text in their place, which the
 * response does not show.
 */
function replaceBigints(message: McpMessage['message']) {
  const digits = new Map<string, string>();
  const standIn = <T>(value: T) => {
    if (typeof value !== 'bigint') return value;
    const name = `number-${randomUUID()}`;
    digits.set(JSON.stringify(name), String(value));
    return name;
  };
  const meta = message.params?._meta as { progressToken?: unknown } | undefined;
  return {
    message: {
      ...message,
      ...(message.id !== undefined && { id: standIn(message.id) }),
      ...(typeof meta?.progressToken === 'bigint' && {
        params: { ...message.params, _meta: { ...meta, progressToken: standIn(meta.progressToken) } },
      }),
    },
    restored: (text: string) =>
      digits.entries().reduce((shown, [name, number]) => shown.replaceAll(name, number), text),
  };
}

const isHandshake = ({ id, method }: McpMessage['message']) => id !== undefined && method === 'initialize';

type Id = McpMessage['message']['id'];

const unknownMethod = (id: Id) =>
  createRefusal(id, 404, ProtocolErrorCode.MethodNotFound, 'Method not found');

function createRefusal(id: Id, statusCode: number, code: number, words: string): StreamedBody {
  const text = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: words } });
  return { statusCode, contentType: 'application/json', stream: Readable.from([text]) };
}

/** Protocol 2026-07-28. Nothing that this server offers changes while somebody listens. */
const modernResponse = (
  request: Request,
  message: unknown,
  server: HeaderCheckingServer,
  isStreamed: boolean,
) =>
  createMcpHandler(() => server, {
    legacy: 'reject',
    keepAliveMs: pingEveryMs,
    maxSubscriptions: 0,
    responseMode: isStreamed ? 'sse' : 'auto',
  }).fetch(request, { parsedBody: message });

/** The protocols that begin with `initialize`. */
async function legacyResponse(
  request: Request,
  message: unknown,
  server: HeaderCheckingServer,
  isStreamed: boolean,
) {
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !isStreamed,
    keepAliveMs: pingEveryMs,
  });
  await server.connect(transport);
  request.signal.addEventListener('abort', () => void transport.close(), { once: true });
  return transport.handleRequest(request, { parsedBody: message });
}

async function toStreamedBody(
  { status, headers, body }: Response,
  gone: AbortController,
  restored: (text: string) => string,
): Promise<StreamedBody> {
  const contentType = headers.get('content-type') ?? 'application/json';
  if (!body || !contentType.startsWith('text/event-stream')) {
    const text = body ? restored(await new Response(body).text()) : '';
    return { statusCode: status, contentType, stream: Readable.from(text === '' ? [] : [text]) };
  }
  return streamBody({
    contentType,
    async writeBody(write, signal) {
      signal.addEventListener('abort', () => gone.abort(signal.reason), { once: true });
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      gone.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}), { once: true });
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        await write(restored(value));
      }
    },
  });
}

const lists = {
  'tools/list': 'ListToolsRequest',
  'prompts/list': 'ListPromptsRequest',
  'resources/list': 'ListResourcesRequest',
  'resources/templates/list': 'ListResourceTemplatesRequest',
} satisfies Record<string, SpecTypeName>;

const requests: ReadonlyMap<string, SpecTypeName> = new Map(
  Object.entries({
    ...lists,
    initialize: 'InitializeRequest',
    'tools/call': 'CallToolRequest',
    'prompts/get': 'GetPromptRequest',
    'resources/read': 'ReadResourceRequest',
    'completion/complete': 'CompleteRequest',
  }),
);

const isServed = ({ prompts, resources, complete }: ServedMcp, method: string): boolean =>
  (!method.startsWith('prompts/') || prompts !== undefined) &&
  (!method.startsWith('resources/') || resources !== undefined) &&
  (!method.startsWith('completion/') || complete !== undefined);

/** With the place of each error: the SDK would dump its validator. Undefined for methods not served. */
function paramsProblem(message: { method?: string | undefined }, served: ServedMcp): string | undefined {
  const { method = '' } = message;
  const type = requests.get(method);
  if (!type || !isServed(served, method)) return undefined;
  const { issues = [] } = specTypeSchemas[type]['~standard'].validate(message);
  if (issues.length === 0) return undefined;
  return issues.map(({ path = [], message: words }) => `${path.map(toName).join('.')}: ${words}`).join('\n');
}

const toName = (part: PropertyKey | { key: PropertyKey }) =>
  String(typeof part === 'object' ? part.key : part);

/** What the protocol allows in one response. */
const completionsMax = 100;

/** A server for one request. It has no validators: those who respond check the arguments. */
function createMcpServer(served: ServedMcp, requestId: string): HeaderCheckingServer {
  const { name, tools, prompts, resources, complete } = served;
  const capabilities = {
    tools: {},
    ...(prompts && { prompts: {} }),
    ...(resources && { resources: {} }),
    ...(complete && { completions: {} }),
  };
  const whole = new HeaderCheckingServer(
    tools.all,
    { name, version: '1.0.0' },
    { supportedProtocolVersions: protocolVersions },
  );
  const { server } = whole;
  server.registerCapabilities(capabilities);
  const answer = <T>(work: () => Promise<T> | T) => translateFailures(requestId, work);
  serveTools(server, tools, answer);
  if (prompts) servePrompts(server, prompts, answer);
  if (resources) serveResources(server, resources, answer);
  if (complete) {
    server.setRequestHandler('completion/complete', ({ params }) =>
      answer(async () => {
        const found = await complete(params);
        if (!found) throw unknown('argument', params.argument.name);
        return { completion: toCompletion(found) };
      }),
    );
  }
  return whole;
}

type Answer = <T>(work: () => Promise<T> | T) => Promise<T>;

function serveTools(server: Server, { all, call }: ServedMcp['tools'], answer: Answer): void {
  server.setRequestHandler('tools/list', ({ params }) =>
    answer(() => {
      const { page, ...rest } = listPage(all, params?.cursor);
      return { tools: page, ...rest };
    }),
  );
  server.setRequestHandler('tools/call', ({ params }, context) =>
    answer(() => {
      if (!all.some(({ name }) => name === params.name)) throw unknown('tool', params.name);
      return call(
        params.name,
        params.arguments ?? {},
        context.mcpReq.signal,
        createProgressReporter(context),
      );
    }),
  );
}

function servePrompts(server: Server, { all, get }: NonNullable<ServedMcp['prompts']>, answer: Answer): void {
  server.setRequestHandler('prompts/list', ({ params }) =>
    answer(() => {
      const { page, ...rest } = listPage(all, params?.cursor);
      return { prompts: page, ...rest };
    }),
  );
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) =>
    answer(async () => {
      if (!all.some(({ name }) => name === params.name)) throw unknown('prompt', params.name);
      const result = await get(params.name, params.arguments ?? {}, mcpReq.signal);
      if (!('failure' in result)) return result;
      throw new ProtocolError(ProtocolErrorCode.InternalError, String(result.failure));
    }),
  );
}

function serveResources(
  server: Server,
  { templates, list, read }: NonNullable<ServedMcp['resources']>,
  answer: Answer,
): void {
  server.setRequestHandler('resources/list', ({ params }) => answer(() => list(params?.cursor)));
  server.setRequestHandler('resources/templates/list', ({ params }) =>
    answer(() => {
      const { page, ...rest } = listPage(templates, params?.cursor);
      return { resourceTemplates: page, ...rest };
    }),
  );
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    answer(async () => {
      const found = await read(uri);
      if (!found) throw new ResourceNotFoundError(uri);
      return found;
    }),
  );
}

const unknown = (what: string, name: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown ${what}: ${name}`);

const toCompletion = ({ values, hasMore = false }: Completion) => ({
  values: values.slice(0, completionsMax),
  ...(!hasMore && { total: values.length }),
  hasMore: hasMore || values.length > completionsMax,
});

/** Does nothing for callers that did not ask for progress. Only sends what is further than before, as it must. */
function createProgressReporter({ mcpReq }: ServerContext): ReportProgress {
  const progressToken = mcpReq._meta?.progressToken;
  let last = 0;
  return async ({ progress, total }) => {
    if (progressToken === undefined || progress <= last) return;
    last = progress;
    await mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken, progress, ...(total !== undefined && { total }) },
    });
  };
}

/** The headers that the tool of a call wants its arguments in too (`x-mcp-header`). Others are no headers, and clients refuse their tool. */
function paramHeaderNames(params: Record<string, unknown> | undefined, { tools }: ServedMcp): string[] {
  const parts = [...walkSubschemas(findTool(params?.name, tools.all)?.inputSchema)];
  return parts.flatMap(({ schema: { 'x-mcp-header': name } }) =>
    typeof name === 'string' && headerName.test(name) ? [`mcp-param-${name.toLowerCase()}`] : [],
  );
}

/** The SDK compares these headers with the arguments if it finds the schema of the tool here. */
class HeaderCheckingServer extends McpServer {
  readonly #tools: readonly Tool[];

  constructor(tools: readonly Tool[], ...serverArguments: ConstructorParameters<typeof McpServer>) {
    super(...serverArguments);
    this.#tools = tools;
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return findTool(name, this.#tools)?.inputSchema;
  }
}

const findTool = (asked: unknown, all: readonly Tool[]) => all.find(({ name }) => name === asked);
