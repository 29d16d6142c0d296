import type { McpFailure, McpRequest, McpToolList } from '../ports/mcp-port.ts';
import { toMcpFailure } from './failure.ts';
import { listServerTools } from './list-tools.ts';
import { paramHeadersProblem } from './param-headers.ts';
import { inSession, type McpSession } from './session.ts';
import { toToolList } from './tool-list.ts';

export async function sessionTools(request: McpRequest): Promise<McpToolList | McpFailure> {
  try {
    return await inSession(request, usableTools);
  } catch (error) {
    request.signal.throwIfAborted();
    return toMcpFailure(error);
  }
}

/** The server's tools within the limits. Only the protocol 2026-07-28 has headers for arguments. */
export async function usableTools(session: McpSession): Promise<McpToolList> {
  const { tools, omitted, invalid } = toToolList(await listServerTools(session));
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
