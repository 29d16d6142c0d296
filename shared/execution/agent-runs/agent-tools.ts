/**
 * The tools of an agent: everything that its config names, under unique names, with its limits, approvals and fixed
 * arguments.
 * Sources in order: saved and runtime tools, capabilities, MCP servers, skills of an external agent, memory, sub-agents,
 * artifacts, advisor, code; tools of the caller last, without those whose name is taken. An approval or a limit of a
 * capability also holds for its tool, whatever name reaches it.
 * Code and spawned agents get tools by pools, never those that need an approval or the caller; their calls count against
 * the same limits (`openCodeCalls`), which the log keeps.
 */
import type { ModelMessage } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { recordNote } from '../../core/active-span.ts';
import { StepError } from '../../core/errors/step-error.ts';
import type { NewId } from '../../core/ids.ts';
import { resolvePool } from '../../domain/agents/checks/named-tools.ts';
import type { AgentCapability } from '../../domain/agents/config/agent.ts';
import type { AgentConfig, AgentTools, CodeModeConfig } from '../../domain/agents/config/agent-config.ts';
import type { ExternalConfig } from '../../domain/agents/config/external-config.ts';
import type { McpServer } from '../../domain/flows/steps/mcp-server.ts';
import type { RuntimeTool } from '../../domain/flows/steps/tool-reference.ts';
import type { OwnTools } from '../../domain/tools/own-tool-problems.ts';
import type { Loop } from '../agent-loop/loop.ts';
import type { RunState } from '../agent-loop/state.ts';
import { CallSuspended, findCallRefusal } from '../agent-loop/tool-calls.ts';
import { openAgentSkills } from '../tools/agent-skills.ts';
import { callTool, isOfCaller, pageToolType, type RunnableTool } from '../tools/call-tool.ts';
import { checkedBefore, openConfiguredTools } from '../tools/open-configured-tools.ts';
import { openRuntimeTool, openTools } from '../tools/open-tools.ts';
import { makeNamesUnique, toToolName } from '../tools/tool-name.ts';
import type { ClientTool } from './agent-input.ts';
import { askAdvisorTool, createArtifactTools, createMemoryTools } from './agent-tool.ts';
import { type CodeMode, runCodeTool, runCodeToolName } from './run-code.ts';
import { spawnsMax, spawnTool, spawnToolId, subAgentTool } from './sub-agents.ts';

/** With unique names, and sentences about tools that are not available. @throws StepError if one cannot be opened */
export async function openAgentTools(
  { tools: config = {}, memory, advisor, artifacts }: AgentConfig,
  capabilities: readonly AgentCapability[],
  context: AgentToolContext,
): Promise<{ tools: RunnableTool[]; warnings: string[] }> {
  const { ports, skills, profile, model, conversation, newId, clientTools, signal } = context;
  const { runtimeTools = [], toolConfigs, subagentConfig, codeModeConfig } = config;
  const { mcpServers, named } = getToolPools(runtimeTools, context);
  const rules = {
    toolConfigs,
    approval: addCapabilityTools(config.approval, capabilities),
    perToolLimits: getLimitsPerTool(config, capabilities),
  };
  const enabled = capabilities.filter((capability) => capability.enabled);
  const pool = resolvePool(codeModeConfig?.toolPool ?? [], named);
  const [configured, ofCaller, capable, ofSkills, pooled] = await Promise.all([
    openConfiguredTools(ports, { toolIds: config.toolIds, runtimeTools, mcpServers }, signal),
    Promise.all((clientTools ?? []).map((tool) => openClientTool(ports, tool))),
    openCapabilities(ports, enabled),
    skills ? openAgentSkills(ports, skills, signal) : [],
    openTools(ports, pool.ids, checkedBefore),
  ]);
  const { saved, runtime, ofServers, warnings } = configured;
  const special = [
    ...(memory?.enabled ? createMemoryTools({ ports, profile, model }) : []),
    ...(subagentConfig ? [spawnTool(ports.agents, subagentConfig, model, rules, named)] : []),
    ...(artifacts ? createArtifactTools(artifacts.types, newId) : []),
    ...(advisor ? [askAdvisorTool(ports, advisor, conversation)] : []),
  ];
  const inPool = [
    ...pooled,
    ...runtime.filter((_tool, index) => pool.runtimeTools.includes(runtimeTools[index] as RuntimeTool)),
    ...ofServers.filter(({ id }) => toMcpToolIds(pool.mcpServers).has(id)),
  ];
  const code = codeModeConfig ? [createCodeModeTool(codeModeConfig, inPool, config, context)] : [];
  const all = [...saved, ...runtime, ...capable, ...ofServers, ...ofSkills, ...special, ...code];
  const missing = findMissingTools([subagentConfig, codeModeConfig], named, ofServers);
  const tools = makeNamesUnique(fixAllArguments(all, toolConfigs));
  return { tools: [...tools, ...omitTakenNames(tools, ofCaller)], warnings: [...warnings, ...missing] };
}

async function openClientTool(ports: Ports, { page, ...tool }: ClientTool): Promise<RunnableTool> {
  const opened = await openRuntimeTool(ports, { ...tool, toolType: 'local', config: {} }, checkedBefore);
  return page ? { ...opened, type: pageToolType } : opened;
}

/** Tools of the caller neither replace those of the agent nor get their rules: one with the name of another is left out. */
function omitTakenNames(ofAgent: readonly RunnableTool[], ofCaller: readonly RunnableTool[]): RunnableTool[] {
  const taken = new Set(ofAgent.flatMap(({ id, name, otherNames = [] }) => [id, name, ...otherNames]));
  return makeNamesUnique(ofCaller.filter(({ name }) => !taken.has(name)));
}

async function openCapabilities(
  ports: Ports,
  capabilities: readonly AgentCapability[],
): Promise<RunnableTool[]> {
  const toolIds = capabilities.flatMap(({ toolId }) => toolId ?? []);
  const stored = new Map((await openTools(ports, toolIds, checkedBefore)).map((tool) => [tool.id, tool]));
  const opened = capabilities.map(async (capability) => {
    const { toolId, flowId, subAgentId } = capability;
    if (subAgentId) return renameTool(capability, subAgentTool(ports.agents, subAgentId));
    const tool = toolId ? stored.get(toolId) : flowId && (await openFlow(ports, capability, flowId));
    return tool ? renameTool(capability, tool) : [];
  });
  return (await Promise.all(opened)).flat();
}

const openFlow = (
  ports: Ports,
  { toolName, toolDescription, parametersSchema }: AgentCapability,
  flowId: string,
) =>
  openRuntimeTool(
    ports,
    {
      name: toolName,
      description: toolDescription ?? '',
      toolType: 'flow',
      parametersSchema: parametersSchema ?? { type: 'object' },
      config: { flowId },
    },
    checkedBefore,
  );

/** A tool under the name and the description of a capability. */
const renameTool = (
  { toolName, toolDescription, parametersSchema }: AgentCapability,
  tool: RunnableTool,
): RunnableTool => ({
  ...tool,
  name: toToolName(toolName),
  otherNames: [...(tool.otherNames ?? []), tool.name],
  ...(toolDescription && { description: toolDescription }),
  ...(parametersSchema && { parameters: { ...parametersSchema, type: 'object' } }),
});

export interface LoopToolContext {
  /** Those that count what is spent. */
  ports: Ports;
  model: string;
  needsApproval: Loop['needsApproval'];
  limits: Loop['limits'];
  codeCalls: CodeCalls;
  newId: NewId;
  conversation: () => readonly ModelMessage[];
}

interface AgentToolContext extends LoopToolContext {
  /** With the values of their credentials, as `skills`. */
  mcpServers: readonly McpServer[];
  /** For a spawned agent: the tools of the one that spawned it, as `mcpServers`. */
  inherited?: OwnTools | undefined;
  /** An external agent whose skills are tools. */
  skills: ExternalConfig | null;
  clientTools: readonly ClientTool[] | undefined;
  /** Whose memory it is. */
  profile: string;
  signal: AbortSignal;
}

type ApprovalConfig = NonNullable<AgentTools['approval']>;

/** What needs an approval. The name of a capability also stands for its tool, which code and spawned agents can reach. */
export function addCapabilityTools(
  approval: ApprovalConfig | undefined,
  capabilities: readonly AgentCapability[],
): ApprovalConfig | undefined {
  if (!approval || typeof approval.require === 'boolean') return approval;
  const isNeeded = isAnyOf(approval.require);
  const ids = capabilities.flatMap(({ toolName, toolId }) =>
    toolId && isNeeded(toToolName(toolName)) ? [toolId] : [],
  );
  return { ...approval, require: [...approval.require, ...ids] };
}

/** Whether the calls of a tool need an approval, whatever name the model knows it by. */
export function createApprovalCheck(
  approval: ApprovalConfig | undefined,
): ((tool: RunnableTool) => boolean) | undefined {
  const require = approval?.require;
  if (!require) return undefined;
  if (require === true) return () => true;
  const isNeeded = isAnyOf(require);
  return ({ id, name, otherNames = [] }) => [id, name, ...otherNames].some(isNeeded);
}

/** Names are compared as the model gets them. */
function isAnyOf(required: readonly string[]): (name: string) => boolean {
  const names = new Set([...required, ...required.map(toToolName)]);
  return (name) => names.has(name);
}

type Limits = NonNullable<AgentTools['perToolLimits']>;

/** The limits of single tools. That of a capability also holds for its tool, which code and spawned agents can reach. */
function getLimitsPerTool(
  { perToolLimits = {} }: AgentTools,
  capabilities: readonly AgentCapability[],
): Limits {
  const ofTargets = capabilities.flatMap(({ toolName, toolId }) => {
    const limit = perToolLimits[toToolName(toolName)] ?? perToolLimits[toolName];
    return toolId && limit ? [[toolId, limit] as const] : [];
  });
  return { ...Object.fromEntries(ofTargets), ...perToolLimits };
}

export const callsMaxDefault = 10;

export function toLoopLimits(
  tools: AgentTools,
  capabilities: readonly AgentCapability[],
): Pick<Loop, 'limits' | 'requiredTools'> {
  const single = Object.entries(getLimitsPerTool(tools, capabilities));
  return {
    limits: {
      callsMax: tools.maxToolCalls ?? callsMaxDefault,
      callsMaxOf: {
        [spawnToolId]: tools.subagentConfig?.maxSpawnsPerRun ?? spawnsMax,
        ...Object.fromEntries(
          single.flatMap(([name, { maxCalls }]) => (maxCalls === undefined ? [] : [[name, maxCalls]])),
        ),
      },
    },
    requiredTools: single.flatMap(([name, { required }]) => (required ? [name] : [])),
  };
}

/** The servers of an agent with their credentials, and what its pools can name. */
function getToolPools(runtimeTools: readonly RuntimeTool[], { mcpServers, inherited }: AgentToolContext) {
  if (!inherited) return { mcpServers, named: { runtimeTools, mcpServers } };
  const authOf = new Map(inherited.mcpServers?.map(({ id, auth }) => [id, auth]));
  return {
    mcpServers: mcpServers.map((server) => ({ ...server, auth: authOf.get(server.id) })),
    named: inherited,
  };
}

/** Tools of servers that answer, which a pool names and the server does not have. */
function findMissingTools(
  configs: readonly ({ toolPool: string[] } | undefined)[],
  named: OwnTools,
  opened: readonly RunnableTool[],
): string[] {
  const openedIds = opened.map(({ id }) => id);
  const { mcpServers } = resolvePool(
    [...new Set(configs.flatMap((config) => config?.toolPool ?? []))],
    named,
  );
  return mcpServers.flatMap(({ id, allowedTools }) => {
    const answers = openedIds.some((each) => each.startsWith(`mcp:${id}:`));
    const missing = allowedTools.filter((tool) => !openedIds.includes(`mcp:${id}:${tool}`));
    const what = `The MCP server "${id}" has no tool ${missing.join(', ')}, which a tool pool names`;
    return answers && missing.length > 0 ? [what] : [];
  });
}

const toMcpToolIds = (servers: readonly { id: string; allowedTools: string[] }[]) =>
  new Set(servers.flatMap(({ id, allowedTools }) => allowedTools.map((tool) => `mcp:${id}:${tool}`)));

/** A tool with arguments that the model neither sees nor chooses. */
function fixArguments(
  tool: RunnableTool,
  fixed: Readonly<Record<string, unknown>> | undefined,
): RunnableTool {
  if (!fixed || Object.keys(fixed).length === 0) return tool;
  const {
    properties = {},
    required = [],
    ...rest
  } = tool.parameters as {
    properties?: Record<string, unknown>;
    required?: readonly string[];
  };
  const isOpen = (name: string) => !Object.hasOwn(fixed, name);
  const addFixed = (args: unknown) =>
    typeof args === 'object' && args !== null && !Array.isArray(args) ? { ...args, ...fixed } : args;
  return {
    ...tool,
    parameters: {
      ...rest,
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isOpen(name))),
      ...(required.some(isOpen) && { required: required.filter(isOpen) }),
    },
    plan: (args, signal) => tool.plan(addFixed(args), signal),
    preview: (args, signal) => tool.preview(addFixed(args), signal),
  };
}

const fixAllArguments = (tools: readonly RunnableTool[], toolConfigs: AgentTools['toolConfigs'] = {}) =>
  tools.map((tool) => fixArguments(tool, toolConfigs[tool.id] ?? toolConfigs[tool.name]));

/**
 * Code cannot wait for somebody, so it gets no tools that need an approval or the caller. The limits of calls hold for all
 * calls from code together, beside those that the model makes itself.
 */
function createCodeModeTool(
  config: CodeModeConfig,
  pool: readonly RunnableTool[],
  { toolConfigs }: AgentTools,
  { ports, needsApproval, limits, codeCalls }: AgentToolContext,
): RunnableTool {
  const usable = pool.filter((tool) => !isOfCaller(tool) && !needsApproval?.(tool));
  const tools = makeNamesUnique(fixAllArguments(usable, toolConfigs));
  const call: CodeMode['call'] = async (tool, args, signal, context) => {
    const refused = findCallRefusal(
      { name: tool.name, input: args ?? {} },
      { tools, limits },
      codeCalls.made(),
    );
    codeCalls.add(refused === undefined ? tool.id : undefined);
    if (refused) throw new StepError(refused);
    const facts = { k: 't' as const, n: tool.name, ty: tool.type };
    const outcome = await recordNote(facts, () => callTool(tool, args, signal, context)).catch(
      refuseSuspension,
    );
    if ('awaitsCaller' in outcome) throw new StepError('Only the caller of the run can execute this tool');
    return outcome.output;
  };
  return runCodeTool({ ports, config, tools, callsMax: limits.callsMax, call });
}

/** The calls that the code of a run has made. The log keeps them, so that they count wherever the run goes on. */
export interface CodeCalls {
  made: () => { callCount: number; callsOf: ReadonlyMap<string, number> };
  /** @param toolId Undefined for a call that was refused. */
  add: (toolId: string | undefined, count?: number) => void;
  /** Those since the last time. */
  drain: () => { codeCalls?: Readonly<Record<string, number>> };
}

const refused = '';

export function openCodeCalls({ totals }: RunState): CodeCalls {
  const callsOf = new Map(Object.entries(totals.codeCalls));
  let fresh: Record<string, number> = {};
  return {
    made: () => ({ callCount: callsOf.values().reduce((sum, count) => sum + count, 0), callsOf }),
    add(toolId = refused, count = 1) {
      callsOf.set(toolId, (callsOf.get(toolId) ?? 0) + count);
      fresh[toolId] = (fresh[toolId] ?? 0) + count;
    },
    drain() {
      const codeCalls = fresh;
      fresh = {};
      return Object.keys(codeCalls).length > 0 ? { codeCalls } : {};
    },
  };
}

/** Whether code ran when the process of the run died. Nobody knows what it called. */
export const isCodeLost = ({ open, results }: RunState) =>
  open.some(({ id, name }) => name === runCodeToolName && !results.has(id));

/** The code would be lost while it waits. */
function refuseSuspension(error: unknown): never {
  if (!(error instanceof CallSuspended)) throw error;
  throw new StepError(
    'the run of the tool waits for an approval, which code cannot; call the tool by itself',
  );
}
