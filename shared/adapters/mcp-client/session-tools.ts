import { StepError } from '../../core/errors/step-error.ts';
import type { McpFailure, McpRequest, McpToolList } from '../ports/mcp-port.ts';
import { toMcpFailure } from './failure.ts';
import { Unauthorized } from './guarded-fetch.ts';
import { listServerTools } from './list-tools.ts';
import { paramHeadersProblem } from './param-headers.ts';
import { type McpSession, runInSession } from './session.ts';
import { toToolList } from './tool-list.ts';

/** A page that cannot be read costs no tool of the pages before it, unless the server asks for authorization. */
export async function sessionTools(request: McpRequest): Promise<McpToolList | McpFailure> {
  const read: { session?: McpSession; described: unknown[] } = { described: [] };
  try {
    return await runInSession(request, async (session) => {
      Object.assign(read, { session, described: [] });
      return selectUsable(session, await listServerTools(session, read.described));
    });
  } catch (error) {
    request.signal.throwIfAborted();
    const { session, described } = read;
    if (!session || described.length === 0 || error instanceof Unauthorized) return toMcpFailure(error);
    return { ...selectUsable(session, described), unread: toReason(error) };
  }
}

function toReason(error: unknown): NonNullable<McpToolList['unread']> {
  try {
    return toMcpFailure(error);
  } catch (failure) {
    if (!(failure instanceof StepError)) throw failure;
    return { problem: failure.message, retryable: failure.retryable };
  }
}

export const usableTools = async (session: McpSession): Promise<McpToolList> =>
  selectUsable(session, await listServerTools(session));

/** The tools within the limits. Only the protocol 2026-07-28 has headers for arguments. */
function selectUsable(session: McpSession, described: readonly unknown[]): McpToolList {
  const { tools, omitted, invalid } = toToolList(described);
  if (!repeatsArguments(session)) return { tools, omitted, invalid };
  const judged = tools.map((tool) => ({ tool, problem: paramHeadersProblem(tool.parameters) }));
  return {
    tools: judged.flatMap(({ tool, problem }) => (problem === undefined ? [tool] : [])),
    omitted,
    invalid: [
      ...invalid,
      ...judged.flatMap(({ tool: { name }, problem }) => (problem === undefined ? [] : [{ name, problem }])),
    ],
  };
}

/** Whether servers may demand that headers repeat some arguments. */
export const repeatsArguments = ({ client }: McpSession) => client.getProtocolEra() === 'modern';
