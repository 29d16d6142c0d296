import { createHash } from 'node:crypto';
import { createLoadingCache } from '../../core/cache.ts';
import { orAborted } from '../../core/concurrency/abort.ts';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import type { McpFailure, McpPort, McpRequest, McpToolList } from '../ports/mcp-port.ts';

/** The servers of a tenant. Loads the SDK with the first call: it takes long, and most runs call no MCP server. */
export const mcpPort = (tenant: string): McpPort => {
  const listTools: McpPort['listTools'] = (request) =>
    listCachedTools(tenant, request, async (asked) => (await loadServer(asked)).listTools(addContext(asked)));
  return {
    listTools,
    callTool: async (call) => (await loadServer(call)).callTool(addContext(call), () => listTools(call)),
  };
};

/** The author's headers come last, whatever the context says. */
const addContext = <R extends McpRequest>(request: R): R => ({
  ...request,
  headers: { ...request.context, ...request.headers },
});

const loadServer = ({ transport }: { transport?: 'streamable_http' | 'rest' | undefined }) =>
  transport === 'rest' ? rest() : protocol();

const protocol = loadOnce(async () => {
  const [{ callServerTool }, { sessionTools }] = await Promise.all([
    import('./call-tool.ts'),
    import('./session-tools.ts'),
  ]);
  return { callTool: callServerTool, listTools: sessionTools };
});
const rest = loadOnce(async () => (await import('./rest.ts')).restServer);

/** A list has up to half a million characters. */
const lists = createLoadingCache<McpToolList>({ entriesMax: 40, ttlMs: 300_000 });

/** A failure in the server's words, or a list without its last pages, which must not be cached. */
class Incomplete extends Error {
  readonly outcome: McpToolList | McpFailure;

  constructor(outcome: McpToolList | McpFailure) {
    super('The server did not list all of its tools');
    this.outcome = outcome;
  }
}

/** The list of a server for these credentials. Concurrent callers share a request, which none of them cancels. */
async function listCachedTools(
  tenant: string,
  request: McpRequest,
  list: McpPort['listTools'],
): Promise<McpToolList | McpFailure> {
  const load = async () => {
    const outcome = await list({ ...request, signal: new AbortController().signal });
    if ('failure' in outcome || outcome.unread) throw new Incomplete(outcome);
    return outcome;
  };
  try {
    return await orAborted(lists(hashRequest(tenant, request), load), request.signal);
  } catch (error) {
    if (error instanceof Incomplete) return error.outcome;
    throw error;
  }
}

const hashRequest = (tenant: string, { transport, url, headers }: McpRequest) =>
  createHash('sha256')
    .update(JSON.stringify([tenant, transport, url, Object.entries(headers).toSorted()]))
    .digest('base64');
