/**
 * Exports an agent for another runtime: one JSON document with its sub-agents, flows and tools inlined, and references in
 * place of secrets.
 *
 * First everything is loaded by ids, level by level within bounds, so that a cycle ends and nothing is read twice; then
 * capabilities are inlined while the bytes are counted, so that an export never becomes larger than a response. What is
 * deleted, too deep or a cycle is named as omitted. Only `functions/agents/export-runtime.ts` calls it; flows are exported by
 * `flows/sub-flows/export.ts`.
 */

import { toChunks } from '../../core/chunks.ts';
import { ifMissing, invalidAt, notFound, tooLarge } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { countResponseBytes, megabytes, responseBytesMax } from '../../platform/http/responses/body-sizes.ts';
import { walkSteps } from '../flows/steps/held-lists.ts';
import { credentialField } from '../flows/steps/mcp-server.ts';
import { stepTools } from '../flows/steps/prompt-tools.ts';
import { isOfMcpServer, readBuiltinId, stepToolIds } from '../flows/steps/tool-reference.ts';
import { type ExportedFlow, flowExporter, mapTexts, nameReferences } from '../flows/sub-flows/export.ts';
import { readModelAccount } from '../model-configs/model-account.ts';
import type { Tool } from '../tools/tool.ts';
import { readTools } from '../tools/tool-store.ts';
import { listToolIds } from './checks/named-tools.ts';
import {
  type Agent,
  type AgentCapability,
  type AgentContent,
  agentEntity,
  agentVersionEntity,
  pickAgentContent,
} from './config/agent.ts';
import type { ExternalConfig } from './config/external-config.ts';

/** How deep capabilities are inlined: those of the agent, of its sub-agents, and of their sub-agents. */
const exportLevelsMax = 3;

const agentsMax = 100;
const flowsMax = 100;
const toolsMax = 200;
const flowsAtOnce = 10;

/** An agent with the content that is exported: its published version, or the live agent if nothing is published. */
type LoadedAgent = Pick<Agent, 'id' | 'name' | 'description' | 'icon'> & AgentContent;

/** What an export of an agent consists of, by ids. What is deleted is missing. */
interface ExportParts {
  agents: ReadonlyMap<string, LoadedAgent>;
  flows: ReadonlyMap<string, ExportedFlow>;
  tools: ReadonlyMap<string, Tool>;
  /** `<provider>/<modelId>` by the ids of model configs. */
  models: ReadonlyMap<string, string>;
}

/** @throws 404 for an unknown agent, 400 for one that cannot be exported, 413 if there is too much to export. */
const loadForExport = /* @__PURE__ */ using(['table:read', flowExporter], (scope: Scope) => {
  const { table } = scope;
  const exportFlow = flowExporter(scope);

  async function loadLevel(ids: readonly string[]): Promise<LoadedAgent[]> {
    const agents = decodeReadable(agentEntity, await table.getMany(ids.map((id) => agentEntity.key({ id }))));
    const published = agents.flatMap(({ id, publishedVersionId }) =>
      publishedVersionId ? [agentVersionEntity.key({ agentId: id, id: publishedVersionId })] : [],
    );
    const versions = decodeReadable(agentVersionEntity, await table.getMany(published));
    const contents = new Map(versions.map((version) => [version.agentId, version]));
    return agents.map(({ id, name, description, icon, ...live }) => ({
      ...pickAgentContent(contents.get(id) ?? live),
      id,
      name,
      description,
      icon,
    }));
  }

  async function loadAgents(id: string): Promise<Map<string, LoadedAgent>> {
    const agents = new Map<string, LoadedAgent>();
    let next = [id];
    for (let level = 0; level <= exportLevelsMax && next.length > 0; level++) {
      if (agents.size + next.length > agentsMax) throw createTooMuchError(`more than ${agentsMax} agents`);
      const loaded = await loadLevel(next);
      for (const agent of loaded) agents.set(agent.id, agent);
      next = deduplicate(
        loaded.flatMap(({ capabilities }) => capabilities.map(({ subAgentId }) => subAgentId)),
      );
      next = next.filter((subAgentId) => !agents.has(subAgentId));
    }
    return agents;
  }

  /** With the flows that their prompts run as tools. */
  async function loadFlows(
    ids: readonly string[],
    flows: Map<string, ExportedFlow>,
    level = 0,
  ): Promise<void> {
    if (flows.size + ids.length > flowsMax) throw createTooMuchError(`more than ${flowsMax} flows`);
    for (const chunk of toChunks(ids, flowsAtOnce)) {
      const loaded = await Promise.all(chunk.map((id) => exportFlow(id).catch(ifMissing(undefined))));
      for (const flow of loaded) if (flow) flows.set(flow.id, flow);
      if (countResponseBytes([...flows.values()]) > responseBytesMax) throw createTooMuchError(tooManyBytes);
    }
    const next = deduplicate(ids.flatMap((id) => listPromptFlowIds(flows.get(id)))).filter(
      (id) => !flows.has(id),
    );
    if (level < exportLevelsMax && next.length > 0) await loadFlows(next, flows, level + 1);
  }

  return async (id: string): Promise<ExportParts> => {
    const agents = await loadAgents(id);
    const root = agents.get(id);
    if (!root) throw notFound('Agent');
    if (root.agentType === 'vendor_managed') throw createNotExportableError();
    const flows = new Map<string, ExportedFlow>();
    const tools = new Map<string, Tool>();
    await loadFlows(deduplicate([...agents.values()].flatMap(listFlowIds)), flows);
    let wanted = deduplicate([
      ...[...agents.values()].flatMap(listAgentToolIds),
      ...[...flows.values()].flatMap(listFlowToolIds),
    ]);
    // Tools run flows, whose steps run tools.
    for (let level = 0; level < exportLevelsMax && wanted.length > 0; level++) {
      if (tools.size + wanted.length > toolsMax) throw createTooMuchError(`more than ${toolsMax} tools`);
      const loaded = await readTools(scope, wanted);
      for (const tool of loaded) tools.set(tool.id, tool);
      const flowIds = deduplicate(loaded.flatMap(listToolFlowIds)).filter((flowId) => !flows.has(flowId));
      await loadFlows(flowIds, flows);
      wanted = deduplicate([...flows.values()].flatMap(listFlowToolIds));
      wanted = wanted.filter((toolId) => !tools.has(toolId));
    }
    const { configs } = await readModelAccount(table);
    const models = new Map(configs.map(({ id, provider, modelId }) => [id, `${provider}/${modelId}`]));
    return { agents, flows, tools, models };
  };
});

const deduplicate = (ids: readonly (string | null | undefined)[]): string[] => [
  ...new Set(ids.filter((id) => typeof id === 'string')),
];

const listFlowIds = ({ primaryFlowId, capabilities, config }: LoadedAgent) => [
  primaryFlowId,
  ...capabilities.map(({ flowId }) => flowId),
  ...(config?.tools?.runtimeTools ?? []).flatMap(listToolFlowIds),
];

const listToolFlowIds = ({ toolType, config }: Pick<Tool, 'toolType' | 'config'>): string[] =>
  toolType === 'flow' && typeof config.flowId === 'string' ? [config.flowId] : [];

const isStored = (id: string | null | undefined) =>
  id != null && readBuiltinId(id) === undefined && !isOfMcpServer(id);

function listAgentToolIds({ capabilities, config }: LoadedAgent) {
  return [...capabilities.map(({ toolId }) => toolId), ...listToolIds(config?.tools)].filter(isStored);
}

/** With those of the flows that it runs as steps. */
const listAllSteps = ({ steps, flows = [] }: Pick<ExportedFlow, 'steps' | 'flows'>) => [
  ...walkSteps([...steps, ...flows.flatMap((other) => other.steps)]),
];

const listFlowToolIds = (flow: ExportedFlow) =>
  listAllSteps(flow)
    .flatMap(({ step }) => stepToolIds(step))
    .filter(isStored);

const listPromptFlowIds = (flow: ExportedFlow | undefined) =>
  listAllSteps(flow ?? { steps: [] })
    .flatMap(({ step }) => stepTools(step).runtimeTools ?? [])
    .flatMap(listToolFlowIds);

const tooManyBytes = `more than ${megabytes(responseBytesMax)}`;

const createTooMuchError = (what: string) =>
  tooLarge(`The export would have ${what}. Export the sub-agents by themselves`);

const createNotExportableError = () =>
  invalidAt(
    'id',
    'INVALID_VALUE',
    'A vendor-managed agent runs at its vendor. Export a native or an external agent',
  );

type ExportedTool = Pick<Tool, 'id' | 'name' | 'description' | 'toolType' | 'parametersSchema' | 'config'>;

/** An agent for another runtime, with secrets referenced as `secret:<NAME>`. */
type ExportedAgent = {
  id: string;
  name: string;
  description: string | null;
  icon: string | null;
  agentType: 'native' | 'external';
  config: Record<string, unknown>;
  externalConfig?: ExternalConfig;
  primaryFlow?: ExportedFlow;
  capabilities?: ExportedCapability[];
};

type ExportedCapability = Omit<AgentCapability, 'id' | 'createdAt'> & {
  flow?: ExportedFlow;
  agent?: ExportedAgent;
  tool?: ExportedTool;
  /** Why the target is not inlined. */
  omitted?: 'depth' | 'cycle' | 'deleted' | 'vendor-managed';
};

export type AgentExport = ExportedAgent & {
  /** The stored tools that configs and steps of flows reference. */
  tools: ExportedTool[];
  /** The flows that these tools run. */
  flows: ExportedFlow[];
};

/** Errors are those of `loadForExport`. */
export const agentExporter = /* @__PURE__ */ using([loadForExport], (scope: Scope) => {
  const load = loadForExport(scope);
  return async (id: string): Promise<AgentExport> => {
    const parts = await load(id);
    const inline = createInliner(parts);
    const agent = inline(parts.agents.get(id) as LoadedAgent);
    const tools = [...parts.tools.values()].map(toExportedTool);
    const flows = [...parts.flows.values()];
    const exported = mapTexts({ ...agent, tools, flows }, (text) => parts.models.get(text) ?? text);
    if (countResponseBytes(exported) > responseBytesMax) throw createTooMuchError(tooManyBytes);
    return exported;
  };
});

/** Inlines the targets of capabilities. @throws 413 before the export becomes larger than a response. */
function createInliner({ agents, flows, tools }: ExportParts) {
  let bytes = 0;
  const countBytes = <T>(part: T): T => {
    bytes += countResponseBytes(part);
    if (bytes > responseBytesMax) throw createTooMuchError(tooManyBytes);
    return part;
  };

  const inlineAgent = (agent: LoadedAgent, ancestors: readonly string[] = []): ExportedAgent => {
    const { id, name, description, icon, primaryFlowId, capabilities } = agent;
    const primaryFlow = primaryFlowId === null ? undefined : flows.get(primaryFlowId);
    const content = countBytes({
      id,
      name,
      description,
      icon,
      agentType: agent.agentType as ExportedAgent['agentType'],
      ...nameReferences(nameCredentials(agent)),
      ...(primaryFlow && { primaryFlow }),
    });
    const path = [...ancestors, id];
    return { ...content, capabilities: capabilities.map((capability) => inlineCapability(capability, path)) };
  };

  function inlineCapability(
    { id: _id, createdAt: _createdAt, ...capability }: AgentCapability,
    path: readonly string[],
  ): ExportedCapability {
    return { ...countBytes(capability), ...inlineTarget(capability, path) };
  }

  type Target = Pick<ExportedCapability, 'flow' | 'agent' | 'tool' | 'omitted'>;
  function inlineTarget(
    { flowId, subAgentId, toolId }: Pick<AgentCapability, 'flowId' | 'subAgentId' | 'toolId'>,
    path: readonly string[],
  ): Target {
    if (path.length > exportLevelsMax) return { omitted: 'depth' };
    if (flowId !== null) return inlinePart('flow', flows.get(flowId), countBytes);
    if (subAgentId === null) {
      const tool = tools.get(toolId ?? '');
      return toolId?.startsWith('builtin:')
        ? {}
        : inlinePart('tool', tool && toExportedTool(tool), countBytes);
    }
    if (path.includes(subAgentId)) return { omitted: 'cycle' };
    const agent = agents.get(subAgentId);
    if (agent?.agentType === 'vendor_managed') return { omitted: 'vendor-managed' };
    return inlinePart('agent', agent && inlineAgent(agent, path), (part) => part);
  }

  return inlineAgent;
}

const inlinePart = <T>(member: 'flow' | 'agent' | 'tool', part: T | undefined, count: (part: T) => T) =>
  part === undefined ? { omitted: 'deleted' as const } : { [member]: count(part) };

const toExportedTool = ({
  id,
  name,
  description,
  toolType,
  parametersSchema,
  config,
}: Tool): ExportedTool => ({
  id,
  name,
  description,
  toolType,
  parametersSchema,
  config: nameReferences(config),
});

/** The configs with the name of a secret in place of each stored credential. */
function nameCredentials({ id, config, externalConfig }: LoadedAgent) {
  const nameSecret = (use: string) => `secret:AGENT_${`${id.slice(-26)}_${use}`.toUpperCase()}`;
  const mcpServers = config?.tools?.mcpServers?.map((server, index) => {
    const field = credentialField(server);
    if (!server.auth?.configured || !field) return server;
    const { configured: _configured, ...auth } = server.auth;
    return { ...server, auth: { ...auth, [field]: nameSecret(`MCP_${index}_${field}`) } };
  });
  return {
    config: { ...config, ...(mcpServers && { tools: { ...config?.tools, mcpServers } }) },
    ...(externalConfig && { externalConfig: nameExternalCredential(externalConfig, nameSecret('external')) }),
  };
}

function nameExternalCredential(externalConfig: ExternalConfig, credentials: string): ExternalConfig {
  if (!externalConfig.auth?.configured) return externalConfig;
  const { configured: _configured, ...auth } = externalConfig.auth;
  return { ...externalConfig, auth: { ...auth, credentials } };
}
