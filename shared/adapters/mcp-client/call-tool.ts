import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { McpOutcome, McpPort } from '../ports.ts';
import { failureIn } from './failure.ts';
import { listTools } from './list-tools.ts';
import { isMissingTool, type Result, resultOf } from './result.ts';
import { inSession, type Session } from './session.ts';

type Call = Parameters<McpPort['callTool']>[0];

/** Connects to the server for this call alone. */
export async function callTool(call: Call): Promise<McpOutcome> {
  try {
    return await inSession(call, (session) => outcomeOf(session, call));
  } catch (error) {
    call.signal.throwIfAborted();
    return failureIn(error);
  }
}

async function outcomeOf(session: Session, { toolName, args }: Call): Promise<McpOutcome> {
  const missing = async () => {
    const names = (await listTools(session)).map(({ name }) => name);
    return names.includes(toolName) ? undefined : { missing: names };
  };
  try {
    const result = await request(session, toolName, args);
    return (isMissingTool(result) && (await missing())) || resultOf(result);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const outcome = await missing().catch(() => undefined);
    if (outcome) return outcome;
    throw error;
  }
}

/** Servers of the protocol 2026-07-28 may demand that headers repeat some arguments. */
async function request({ client, options }: Session, name: string, args: object): Promise<Result> {
  const call = { name, arguments: args as Record<string, unknown> };
  // With a definition, the SDK does not list the tools itself, which would write the server's words to the log. Without
  // an output schema, it does not validate: the schema of a stranger could take any time.
  const bare = { name, inputSchema: { type: 'object' as const } };
  try {
    return await client.callTool(call, { ...options, toolDefinition: bare });
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== headersMissing) throw error;
    const tools = await listTools({ client, options });
    const { inputSchema } = tools.find((tool) => tool.name === name) ?? bare;
    return client.callTool(call, { ...options, toolDefinition: { name, inputSchema } });
  }
}

/** The error code of a request whose headers do not match its body. */
const headersMissing = -32_020;

const isRefusal = (error: unknown) =>
  error instanceof ProtocolError &&
  [ProtocolErrorCode.InvalidParams, ProtocolErrorCode.MethodNotFound].includes(error.code);
