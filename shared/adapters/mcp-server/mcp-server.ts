import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { answering } from './failures.ts';
import { HeaderCheckingServer } from './header-params.ts';
import { listPage } from './pages.ts';
import { protocolVersions } from './protocol-versions.ts';
import type { Completion, ReportProgress, ServedMcp } from './served.ts';

/** What the protocol allows in one response. */
const completionsMax = 100;

/** A server for one request. It has no validators: those who respond check the arguments. */
export function createMcpServer(served: ServedMcp, requestId: string): HeaderCheckingServer {
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
  const answer = <T>(work: () => Promise<T> | T) => answering(requestId, work);
  serveTools(server, tools, answer);
  if (prompts) servePrompts(server, prompts, answer);
  if (resources) serveResources(server, resources, answer);
  if (complete) {
    server.setRequestHandler('completion/complete', ({ params }) =>
      answer(async () => {
        const found = await complete(params);
        if (!found) throw unknown('argument', params.argument.name);
        return { completion: completionOf(found) };
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
      return call(params.name, params.arguments ?? {}, context.mcpReq.signal, progressTo(context));
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

const completionOf = ({ values, hasMore = false }: Completion) => ({
  values: values.slice(0, completionsMax),
  ...(!hasMore && { total: values.length }),
  hasMore: hasMore || values.length > completionsMax,
});

/** Does nothing for callers that did not ask for progress. Only sends what is further than before, as it must. */
function progressTo({ mcpReq }: ServerContext): ReportProgress {
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
