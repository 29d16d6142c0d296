/**
 * Opens the tools that a config names: saved ones, runtime ones, and those of MCP servers.
 * Servers are asked for their lists at the same time; one that does not answer in time costs its tools and yields a
 * warning, or fails the run if it is required. Names are qualified by the id of the server. Requests carry the server's
 * credentials, and its answers are redacted of them.
 */
import { createHash } from 'node:crypto';
import type { McpRequest, McpTool, McpToolList } from '../../adapters/ports/mcp-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { getTraceHeaders } from '../../core/active-span.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { type McpServer, toTimeoutMs } from '../../domain/flows/steps/mcp-server.ts';
import { isOfMcpServer } from '../../domain/flows/steps/tool-reference.ts';
import type { OwnTools } from '../../domain/tools/own-tool-problems.ts';
import { toCredentialHeaders } from '../step-support/http-request.ts';
import { redactMcp } from '../step-support/masks.ts';
import { describeMcpFailure } from '../tool-support/mcp-failure.ts';
import { checkArguments, type RunnableTool, runTool } from './call-tool.ts';
import { filterUsableSchemas, openRuntimeTool, openTools, type ToolContext } from './open-tools.ts';
import { makeNamesUnique, toToolName } from './tool-name.ts';

/** The permissions were checked when the agent or the flow was saved or, for an inline one, before the run. */
export const checkedBefore: ToolContext = { permissions: null };

export interface ConfiguredTools {
  saved: RunnableTool[];
  /** In the order of the config. */
  runtime: RunnableTool[];
  ofServers: RunnableTool[];
  /** Sentences about tools that are not available, for the model. */
  warnings: string[];
}

/** Names are unique within a list only. @param config With the values of the credentials. @throws StepError */
export async function openConfiguredTools(
  ports: Ports,
  {
    toolIds = [],
    runtimeTools = [],
    mcpServers = [],
  }: OwnTools & { toolIds?: readonly string[] | undefined },
  signal: AbortSignal,
): Promise<ConfiguredTools> {
  // The tools of MCP servers come with their servers.
  const ids = toolIds.filter((id) => !isOfMcpServer(id));
  const [saved, runtime, servers] = await Promise.all([
    openTools(ports, ids, checkedBefore),
    Promise.all(runtimeTools.map((tool) => openRuntimeTool(ports, tool, checkedBefore))),
    mcpServers.length > 0 ? openMcpServers(ports, mcpServers, signal) : { tools: [], warnings: [] },
  ]);
  return { saved, runtime, ofServers: servers.tools, warnings: servers.warnings };
}

interface ServerTools {
  tools: RunnableTool[];
  /** Sentences about tools that are not available, for the model and for people. */
  warnings: string[];
}

const listingMsMax = 10_000;
const descriptionCharactersMax = 4_000;

/**
 * A server that cannot list its tools gives a warning. @param servers With credentials, which do not leave the calls.
 * @throws StepError if it is a required one
 */
export async function openMcpServers(
  ports: Ports,
  servers: readonly McpServer[],
  signal: AbortSignal,
): Promise<ServerTools> {
  const enabled = servers.filter((server) => server.enabled ?? true);
  const opened = await Promise.all(enabled.map((server) => openServer(ports, server, signal)));
  return {
    tools: makeNamesUnique(opened.flatMap(({ tools }) => tools)),
    warnings: opened.flatMap(({ warnings }) => warnings),
  };
}

async function openServer(ports: Ports, server: McpServer, signal: AbortSignal): Promise<ServerTools> {
  const inside = redactServerPorts(ports, server);
  try {
    const list = await listTools(inside, server, signal);
    const { allowed, unread, warnings } = selectTools(list, server);
    if (unread && server.required) throw unread;
    const { usable, unusable } = await filterUsableSchemas(inside, allowed, signal);
    return {
      tools: usable.toSorted(compareNames).map((tool) => toRunnableTool(inside, server, tool)),
      warnings: [
        ...warnings,
        ...(unread ? [`Tools of the ${toLabel(server)} are not available: ${unread.message}`] : []),
        ...unusable.map((problem) => `A tool of the ${toLabel(server)} is not available: ${problem}`),
      ],
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof StepError)) throw error;
    const message = `The tools of the ${toLabel(server)} are not available: ${error.message}`;
    if (server.required) throw new StepError(message, { retryable: error.retryable, cause: error });
    return { tools: [], warnings: [message] };
  }
}

/** A server may list its tools in another order each time, which providers would not find in their caches. */
const compareNames = (one: McpTool, other: McpTool) => (one.name < other.name ? -1 : 1);

async function listTools({ mcp }: Ports, server: McpServer, signal: AbortSignal): Promise<McpToolList> {
  const request = toMcpRequest(server, signal);
  const list = await mcp.listTools({ ...request, timeoutMs: Math.min(request.timeoutMs, listingMsMax) });
  if ('tools' in list) return list;
  throw describeMcpFailure(list, '', giveAuth);
}

/** @returns `unread`: why tools may be missing that the config allows */
function selectTools({ tools, omitted, invalid = [], unread }: McpToolList, server: McpServer) {
  const listed = [...tools, ...invalid].map(({ name }) => name);
  const { allowedTools = listed } = server;
  const allowed = tools.filter(({ name }) => allowedTools.includes(name));
  const missing = allowedTools.filter((name) => !listed.includes(name));
  const wrong = invalid.filter(({ name }) => allowedTools.includes(name));
  const warnings = [
    ...(missing.length > 0 && !unread ? [`The ${toLabel(server)} has no tool ${missing.join(', ')}`] : []),
    ...wrong.map(
      ({ name, problem }) =>
        `The tool ${name} of the ${toLabel(server)} is not available, because the server describes it wrongly: ${problem}`,
    ),
    ...(omitted > 0
      ? [`The ${toLabel(server)} has ${omitted} more tools, which are too many or too large`]
      : []),
  ];
  const isRestNeeded = server.allowedTools === undefined || missing.length > 0;
  return {
    allowed,
    warnings,
    unread: unread && isRestNeeded ? restMissing(tools.length, unread) : undefined,
  };
}

function restMissing(count: number, unread: NonNullable<McpToolList['unread']>): StepError {
  const cause =
    'failure' in unread ? describeMcpFailure(unread, '', giveAuth) : new StepError(unread.problem, unread);
  return new StepError(
    `only the first ${count} of its list could be read, and the rest is missing: ${cause.message}`,
    { retryable: cause.retryable, cause },
  );
}

function toRunnableTool(ports: Ports, server: McpServer, tool: McpTool): RunnableTool {
  const { name: toolName, parameters, repeatable } = tool;
  const name = qualifyName(server.id, toolName);
  const declared = { name, parameters };
  const description = (tool.description || toolName).slice(0, descriptionCharactersMax).toWellFormed();
  return {
    id: `mcp:${server.id}:${toolName}`,
    name,
    description,
    parameters,
    type: 'mcp',
    repeatable,
    async plan(rawArguments, signal) {
      const args = await checkArguments(ports, declared, rawArguments, signal);
      return {
        request: { url: server.url, tool: toolName, arguments: args },
        perform: (call) =>
          runTool(`${name} of the ${toLabel(server)}`, async () => {
            const request = toMcpRequest(server, signal, call?.id);
            const outcome = await ports.mcp.callTool({ ...request, toolName, args });
            if ('output' in outcome) return outcome;
            throw describeMcpFailure(outcome, toolName, giveAuth);
          }),
      };
    },
    async preview(rawArguments, signal) {
      const args = await checkArguments(ports, declared, rawArguments, signal);
      const { url, timeoutMs } = toMcpRequest(server, signal);
      return { url, tool: toolName, arguments: args, timeoutMs };
    },
  };
}

const giveAuth = 'check "auth" of the server in the config';

const toLabel = ({ name, id }: McpServer) => `MCP server "${name ?? id}"`;

function toMcpRequest(server: McpServer, signal: AbortSignal, callId?: string): McpRequest {
  const { url, transport, auth, timeout = 30_000 } = server;
  const timeoutMs = Math.min(Math.round(toTimeoutMs(timeout)), 600_000);
  const common = { url, transport, timeoutMs, signal, context: getTraceHeaders() };
  const request = { ...common, ...(callId !== undefined && { callId }) };
  const { type = 'none' } = auth ?? {};
  return type === 'oauth'
    ? { ...request, headers: {}, connectionId: auth?.connectionId }
    : { ...request, headers: toCredentialHeaders({ ...auth, type }) };
}

/** A server could repeat its credentials in its responses. */
function redactServerPorts(ports: Ports, { id, auth = { type: 'none' } }: McpServer): Ports {
  const values = [auth.token, auth.password].filter((value) => value !== undefined);
  if (values.length === 0) return ports;
  return {
    ...ports,
    mcp: redactMcp(ports, new Map(values.map((value, n) => [`mcpServers.${id}.${n}`, value]))),
  };
}

const namesMax = 64;

/**
 * A name for `<owner>__<name>` that every provider accepts. It depends on nothing else, so that a run that is resumed
 * finds its tools. If characters have to go, a part of a hash takes their place.
 */
function qualifyName(owner: string, name: string): string {
  const full = `${owner}__${name}`;
  const plain = toToolName(full);
  if (plain === full && full.length <= namesMax) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 8);
  return `${plain.slice(0, namesMax - hash.length - 1)}_${hash}`;
}
