import * as z from 'zod';
import type { AgentRequest, AgentsPort } from '../../adapters/ports/agents-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { resolvePool } from '../../domain/agents/checks/named-tools.ts';
import type { AgentConfig, AgentTools, SubagentConfig } from '../../domain/agents/config/agent-config.ts';
import type { McpServer } from '../../domain/flows/steps/mcp-server.ts';
import type { OwnTools } from '../../domain/tools/own-tool-problems.ts';
import type { RunnableTool, ToolCallContext } from '../tools/call-tool.ts';
import { defineAgentTool } from './agent-tool.ts';

const message = z.string().min(1).max(200_000);

export const subAgentTool = (agents: AgentsPort, agentId: string): RunnableTool => ({
  ...defineAgentTool({
    name: 'sub_agent',
    description: 'Gives a task to another agent, and returns its answer.',
    parameters: z.strictObject({
      message: message.meta({ description: 'The task, with everything the agent needs to know' }),
    }),
    type: 'subagent',
    repeatable: true,
    perform: (args, signal, call) =>
      runSubAgent(agents, { agent: agentId, message: args.message, signal }, call),
  }),
  id: agentId,
});

/** @throws StepError if the run fails. */
async function runSubAgent(
  agents: AgentsPort,
  request: AgentRequest,
  call: ToolCallContext | undefined,
): Promise<{ output: unknown }> {
  const onText = call && ((delta: string) => call.emit({ type: 'output', delta }));
  const { output, error, errorCode: code } = await agents.run({ ...request, callId: call?.id, onText });
  if (error !== null) throw new StepError(error, { code });
  return { output };
}

export const spawnToolId = 'agent:spawn_agent';
export const spawnsMax = 10;
const turnsDefault = 10;
const turnsMax = 25;
const timeoutMsDefault = 300_000;

type SpawnRules = Pick<AgentTools, 'approval' | 'toolConfigs' | 'perToolLimits'>;

/**
 * The tool that runs agents which the calling agent defines.
 * @param model Of the calling agent.
 * @param rules Of the calling agent, which hold for each agent that it spawns.
 * @param named The tools that the pool names, with the values of credentials.
 */
export function spawnTool(
  agents: AgentsPort,
  config: SubagentConfig,
  model: string,
  { perToolLimits = {}, ...rules }: SpawnRules,
  named: OwnTools,
): RunnableTool {
  const { toolPool, maxTurnsLimit = turnsMax, defaultMaxTurns = turnsDefault, defaultTimeoutMs } = config;
  const pool = toolPool.length > 0 ? z.array(z.enum(toolPool)) : z.array(z.never());
  return defineAgentTool({
    name: 'spawn_agent',
    description:
      'Runs a new agent that you define for a part of the task, and returns its answer. It knows only what you tell it. Several can run at the same time.',
    parameters: z.strictObject({
      task: message.meta({ description: 'What it has to do, with everything it needs to know' }),
      instructions: z.string().max(20_000).optional().meta({ description: 'Its system prompt' }),
      tools: pool.optional().meta({ description: 'The tools that it gets. Default: none' }),
      maxTurns: z
        .int()
        .min(1)
        .max(maxTurnsLimit)
        .optional()
        .meta({ description: 'The most responses that it may give' }),
    }),
    type: 'subagent',
    repeatable: true,
    perform({ task, instructions, tools = [], maxTurns }, signal, call) {
      const { ids, runtimeTools, mcpServers } = resolvePool([...new Set(tools)], named);
      const agentConfig: AgentConfig = {
        model: config.defaultModel ?? model,
        loopConfig: { maxTurns: maxTurns ?? Math.min(defaultMaxTurns, maxTurnsLimit) },
        tools: {
          toolIds: ids,
          maxToolCalls: 50,
          ...rules,
          ...toNestedConfig(config),
          ...(runtimeTools.length > 0 && { runtimeTools }),
          ...(mcpServers.length > 0 && { mcpServers: mcpServers.map(omitCredentials) }),
          perToolLimits: omitRequired(perToolLimits),
        },
      };
      const inherited = { runtimeTools: named.runtimeTools ?? [], mcpServers: named.mcpServers ?? [] };
      const agent = { name: 'Spawned agent', config: agentConfig, system: instructions, inherited };
      const timeoutMs = defaultTimeoutMs ?? timeoutMsDefault;
      return runSubAgent(agents, { agent, message: task, timeoutMs, signal }, call);
    },
  });
}

/** The run stores its agent. The values come from the calling agent whenever the run goes on. */
const omitCredentials = ({ auth: _, ...server }: McpServer): McpServer => server;

/** Which tools have to be called is a matter of the calling agent. */
const omitRequired = (limits: NonNullable<AgentTools['perToolLimits']>) =>
  Object.fromEntries(Object.entries(limits).map(([name, { maxCalls }]) => [name, { maxCalls }]));

/** Each level may spawn half as many, so that nesting ends. */
function toNestedConfig(config: SubagentConfig): { subagentConfig?: SubagentConfig } {
  const maxSpawnsPerRun = Math.floor((config.maxSpawnsPerRun ?? spawnsMax) / 2);
  return config.allowNesting && maxSpawnsPerRun > 0 ? { subagentConfig: { ...config, maxSpawnsPerRun } } : {};
}
