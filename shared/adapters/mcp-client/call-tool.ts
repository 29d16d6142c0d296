import {
  type Client,
  type ContentBlock,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';
import { StepError } from '../../core/errors/step-error.ts';
import { unmarkNumbers } from '../../core/json/exact-json.ts';
import { isDeeperThan, nestingLevelsMax } from '../../core/json/nesting.ts';
import type { McpFailure, McpOutcome, McpPort, McpToolList } from '../ports/mcp-port.ts';
import { type McpSession, runInSession, toMcpFailure } from './session.ts';
import { listServerTools, repeatsArguments, toToolNames, usableTools } from './session-tools.ts';

type Call = Parameters<McpPort['callTool']>[0];

/** The tools of the server, as they were listed up to five minutes ago. */
type Listed = () => Promise<McpToolList | McpFailure>;

/** Connects to the server for this call alone. */
export async function callServerTool(call: Call, listed: Listed): Promise<McpOutcome> {
  try {
    return await runInSession(call, (session) => callInSession(session, call, listed));
  } catch (error) {
    call.signal.throwIfAborted();
    return toMcpFailure(error);
  }
}

async function callInSession(
  session: McpSession,
  { toolName, args }: Call,
  listed: Listed,
): Promise<McpOutcome> {
  const findMissing = async () => {
    const names = toToolNames(await listServerTools(session));
    return names.includes(toolName) ? undefined : { missing: names };
  };
  try {
    const result = await request(session, { name: toolName, arguments: args }, listed);
    return (isMissingTool(result) && (await findMissing())) || toMcpOutcome(result);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const outcome = await findMissing().catch(() => undefined);
    if (outcome) return outcome;
    throw error;
  }
}

/** Servers of the protocol 2026-07-28 may demand that headers repeat some arguments. */
async function request(session: McpSession, call: ToolCall, listed: Listed): Promise<McpCallResult> {
  if (!repeatsArguments(session)) return send(session, call);
  try {
    return await send(session, call, await listed().catch(() => undefined));
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== headersMissing) throw error;
    return send(session, call, await usableTools(session));
  }
}

/** @throws StepError if the tool must not be called. */
function send(
  { client, options }: McpSession,
  call: ToolCall,
  list?: McpToolList | McpFailure,
): Promise<McpCallResult> {
  const { tools, invalid = [] } = list && 'tools' in list ? list : { tools: [] };
  const problem = invalid.find(({ name }) => name === call.name)?.problem;
  if (problem !== undefined) {
    throw new StepError(
      `The MCP server describes the tool ${call.name} wrongly, so it is not called: ${problem}`,
    );
  }
  const schema = tools.find(({ name }) => name === call.name)?.parameters ?? {};
  // With a definition, the SDK does not list the tools itself, which would write the server's words to the log. Without
  // an output schema, it does not validate: the schema of a stranger could take any time.
  const toolDefinition = { name: call.name, inputSchema: { ...schema, type: 'object' as const } };
  return client.callTool(call, { ...options, toolDefinition });
}

interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** The error code of a request whose headers do not match its body. */
const headersMissing = -32_020;

const isRefusal = (error: unknown) =>
  error instanceof ProtocolError &&
  [ProtocolErrorCode.InvalidParams, ProtocolErrorCode.MethodNotFound].includes(error.code);

type McpCallResult = Awaited<ReturnType<Client['callTool']>>;

/** The structured content if there is any, else the texts, joined, else all contents. @throws StepError */
function toMcpOutcome({ content, structuredContent, isError }: McpCallResult): McpOutcome {
  if (isError)
    return { failure: joinTexts(content) || (structuredContent ? JSON.stringify(structuredContent) : '') };
  if (isDeeperThan(nestingLevelsMax, structuredContent)) {
    throw new StepError(`The result is nested more than ${nestingLevelsMax} levels deep`);
  }
  if (structuredContent !== undefined) return { output: unmarkNumbers(structuredContent) };
  const isText = content.every(({ type }) => type === 'text');
  return { output: isText ? joinTexts(content) : content.map(toContentPart) };
}

/** Servers of the SDK answer so for a tool that they do not have, and for one that they switched off. */
const isMissingTool = ({ isError, content }: McpCallResult) =>
  isError === true && /\b(?:not found|unknown|disabled|no such)\b/i.test(joinTexts(content));

const joinTexts = (content: readonly ContentBlock[]) =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

/** A content without what only concerns user interfaces. */
function toContentPart(block: ContentBlock): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { type: block.type, mimeType: block.mimeType, data: block.data };
    case 'resource': {
      const { uri, mimeType, ...rest } = block.resource;
      const content = 'text' in rest ? { text: rest.text } : { data: rest.blob };
      return { type: 'resource', uri, ...(mimeType !== undefined && { mimeType }), ...content };
    }
    case 'resource_link': {
      const { type, uri, name, mimeType } = block;
      return { type, uri, name, ...(mimeType !== undefined && { mimeType }) };
    }
  }
}
