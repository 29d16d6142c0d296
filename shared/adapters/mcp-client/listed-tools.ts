import { createHash } from 'node:crypto';
import { loadingCache } from '../../core/cache.ts';
import { orAborted } from '../../core/concurrency/abort.ts';
import type { McpFailure, McpPort, McpRequest, McpToolList } from '../ports/mcp-port.ts';

/** A list has up to half a million characters. */
const lists = loadingCache<McpToolList>({ entriesMax: 40, ttlMs: 300_000 });

/** A failure in the server's words, or a list without its last pages, which must not be cached. */
class Incomplete extends Error {
  readonly outcome: McpToolList | McpFailure;

  constructor(outcome: McpToolList | McpFailure) {
    super('The server did not list all of its tools');
    this.outcome = outcome;
  }
}

/** The list of a server for these credentials. Concurrent callers share a request, which none of them cancels. */
export async function listedTools(
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
    return await orAborted(lists(nameOf(tenant, request), load), request.signal);
  } catch (error) {
    if (error instanceof Incomplete) return error.outcome;
    throw error;
  }
}

const nameOf = (tenant: string, { transport, url, headers }: McpRequest) =>
  createHash('sha256')
    .update(JSON.stringify([tenant, transport, url, Object.entries(headers).toSorted()]))
    .digest('base64');
