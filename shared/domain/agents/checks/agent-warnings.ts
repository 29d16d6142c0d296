import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { covers, type Permission } from '../../../platform/identity/permissions.ts';
import { flowEntity } from '../../flows/flow.ts';
import { readBuiltinId, ToolReference } from '../../flows/steps/tool-reference.ts';
import { isConfigId, readModelAccount } from '../../model-configs/model-account.ts';
import { findModelNameProblem } from '../../model-configs/model-name-problem.ts';
import { findSecrets } from '../../secrets/find-secrets.ts';
import { findBuiltinTool } from '../../tools/builtin/index.ts';
import { readTools } from '../../tools/tool-store.ts';
import type { Agent } from '../config/agent.ts';
import { listToolIds } from './named-tools.ts';

const listedMax = 20;

/** Likely mistakes in an agent that can be saved. What the caller may not read is not looked up. */
export const agentWarnings = /* @__PURE__ */ using(
  ['table:read'],
  (scope: Pick<Scope, 'table'>) =>
    async (agent: Agent, held: readonly string[]): Promise<string[]> => {
      const findIfAllowed = async (permission: Permission, find: () => Promise<string[]>) =>
        covers(held, permission) ? find() : [];
      const found = await Promise.all([
        findModelWarnings(scope, agent),
        findIfAllowed('TOOLS:READ', () => findToolWarnings(scope, agent)),
        findIfAllowed('FLOWS:READ', () => findFlowWarnings(scope, agent)),
        findIfAllowed('SECRETS:READ', () => findSecretWarnings(scope, agent)),
      ]);
      return [
        ...findTypeWarnings(agent),
        ...turnWarnings(agent),
        ...findServerWarnings(agent),
        ...found.flat(),
      ].slice(0, listedMax);
    },
);

function findTypeWarnings({ agentType, externalConfig }: Agent): string[] {
  if (agentType === 'vendor_managed')
    return ['A vendor-managed agent can be stored, but this service cannot run it'];
  if (agentType === 'native' && externalConfig)
    return [
      'externalConfig has no effect: the agent is native. Set agentType to external to call its endpoint',
    ];
  return [];
}

/** An agent with one turn never sees the result of a tool. */
function turnWarnings({ agentType, config, capabilities }: Agent): string[] {
  const {
    toolIds = [],
    runtimeTools = [],
    mcpServers = [],
    subagentConfig,
    codeModeConfig,
  } = config?.tools ?? {};
  const count = toolIds.length + runtimeTools.length + mcpServers.length + capabilities.length;
  const hasTools = count > 0 || subagentConfig !== undefined || codeModeConfig !== undefined;
  if (agentType !== 'native' || !hasTools || config?.loopConfig?.maxTurns !== undefined) return [];
  return [
    'The agent has tools, but responds only once, so it never sees their results. Set config.loopConfig.maxTurns',
  ];
}

/** Credentials that are missing, and tools of servers that are not configured. */
function findServerWarnings({ config }: Agent): string[] {
  const { mcpServers = [], toolIds = [] } = config?.tools ?? {};
  const serverIds = mcpServers.map(({ id }) => id);
  const lacking = mcpServers.filter(
    ({ auth }) => auth && auth.type !== 'none' && !auth.token && !auth.password && !auth.configured,
  );
  return [
    ...lacking.map(({ id }) => `The MCP server ${id} has no credential; send its token or password`),
    ...toolIds.flatMap((toolId) => {
      const [kind, server = ''] = toolId.split(':');
      if (kind === 'mcp')
        return serverIds.includes(server) ? [] : [`${toolId}: there is no MCP server ${server}`];
      return ToolReference.safeParse(toolId).success
        ? []
        : [
            `${toolId} is no id of a tool: expected tool_<26 characters>, builtin:<id> or mcp:<server>:<tool>`,
          ];
    }),
  ];
}

async function findModelWarnings({ table }: Pick<Scope, 'table'>, agent: Agent): Promise<string[]> {
  const { config, externalConfig } = agent;
  const names = [
    config?.model,
    config?.advisor?.model,
    config?.tools?.subagentConfig?.defaultModel,
    externalConfig?.skillOrchestrator?.model,
    ...(config?.errorHandling?.fallbacks ?? []).map((fallback) =>
      fallback.type === 'model' ? fallback.model : undefined,
    ),
  ].filter((name) => name !== undefined);
  const unique = [...new Set(names)];
  const configs = unique.some(isConfigId) ? (await readModelAccount(table)).configs : [];
  const problems = await Promise.all(
    unique.map((name) => {
      if (!isConfigId(name)) return findModelNameProblem(name);
      return configs.some(({ id }) => id === name) ? undefined : `There is no model config ${name}`;
    }),
  );
  return problems.filter((problem) => problem !== undefined);
}

async function findToolWarnings(scope: Pick<Scope, 'table'>, { config }: Agent): Promise<string[]> {
  const named = listToolIds(config?.tools);
  const ids = [...new Set(named)].filter((id) => ToolReference.safeParse(id).success);
  const stored = await readTools(
    scope,
    ids.filter((id) => readBuiltinId(id) === undefined),
  );
  const toolsById = new Map(stored.map((tool) => [tool.id, tool]));
  return ids.flatMap((id) => {
    const builtinId = readBuiltinId(id);
    if (builtinId !== undefined)
      return findBuiltinTool(builtinId) ? [] : [`There is no built-in tool ${builtinId}`];
    const tool = toolsById.get(id);
    if (!tool) return [`There is no tool ${id}`];
    return tool.isActive ? [] : [`The tool "${tool.name}" (${id}) is not active`];
  });
}

async function findFlowWarnings({ table }: Pick<Scope, 'table'>, { config }: Agent): Promise<string[]> {
  const ids = (config?.tools?.runtimeTools ?? []).flatMap(({ toolType, config: { flowId } }) =>
    toolType === 'flow' ? [String(flowId)] : [],
  );
  const found = await table.getMany(ids.map((id) => flowEntity.key({ id })));
  return ids.filter((_id, index) => !found[index]).map((id) => `There is no flow ${id}`);
}

async function findSecretWarnings({ table }: Pick<Scope, 'table'>, { secretKeys }: Agent): Promise<string[]> {
  const secrets = await findSecrets(table, secretKeys);
  return secretKeys
    .filter((key) => secrets.get(key)?.status !== 'active')
    .map((key) => `The secret ${key} has no value; set it through /v1/secrets`);
}
