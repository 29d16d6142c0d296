import * as z from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { derivedId, timeOf } from '../../core/ids.ts';
import { StepError } from '../../core/step-error.ts';
import type { SubagentConfig } from '../../domain/agents/tools-config.ts';
import type { Spent } from '../tool-support/tool-outcome.ts';
import { agentTool } from '../tools/agent-only/agent-tool.ts';
import type { RunnableTool, ToolCallContext } from '../tools/runnable-tool.ts';
import type { AgentExecution } from './agent-execution.ts';
import type { AgentToRun } from './run-input.ts';

/** How deep agents may run each other. */
const levelsMax = 5;

/** A run of a sub-agent, in front of the run that calls it. */
export interface SubRun {
  /** The same whenever the call is repeated: the run then goes on from its last fact. */
  id: string;
  /** A stored agent, or one that the calling agent defines. */
  agent: string | AgentToRun;
  message: string;
  /** The system prompt, which is no template, instead of the agent's. */
  system?: string | undefined;
  timeoutMs?: number | undefined;
  signal: AbortSignal;
  onText: (delta: string) => void;
}

export interface SubRunEnd {
  output: unknown;
  error: string | null;
  /** Counted by the run itself. */
  spent: Spent;
}

export interface SubAgents {
  /** A stored agent as a tool. */
  tool: (agentId: string) => RunnableTool;
  /** The tool that runs agents which the calling agent defines. */
  spawner: (config: SubagentConfig) => RunnableTool;
}

const message = z.string().min(1).max(200_000);

/** The sub-agents of a run. @param run Runs one to its end. @throws StepError if it cannot be run. */
export function subAgentsOf(
  execution: AgentExecution,
  model: string,
  run: (subRun: SubRun) => Promise<SubRunEnd>,
): SubAgents {
  async function outcome(
    call: ToolCallContext | undefined,
    subRun: Pick<SubRun, 'agent' | 'message' | 'system' | 'timeoutMs' | 'signal'>,
  ) {
    if (!call) throw new StepError('Only a run of an agent can run a sub-agent');
    if (execution.depth + 1 > levelsMax) {
      throw new StepError(`Agents run each other at most ${levelsMax} levels deep`);
    }
    const id = derivedId('exec', timeOf(call.id), execution.id, call.id);
    const onText = (delta: string) => call.emit({ type: 'output', delta });
    const { output, error, spent } = await run({ ...subRun, id, onText }).catch((failure) => {
      throw failure instanceof ServiceError ? new StepError(failure.message) : failure;
    });
    return error === null ? { output, spent } : { output: error, failed: true as const, spent };
  }

  return {
    tool: (agentId) => ({
      ...agentTool({
        name: 'sub_agent',
        description: 'Gives a task to another agent, and returns its answer.',
        parameters: z.strictObject({
          message: message.meta({ description: 'The task, with everything the agent needs to know' }),
        }),
        type: 'subagent',
        repeatable: true,
        run: (args, signal, call) => outcome(call, { agent: agentId, message: args.message, signal }),
      }),
      id: agentId,
    }),

    spawner: (config) => spawner(config, model, outcome),
  };
}

type Outcome = (
  call: ToolCallContext | undefined,
  subRun: Pick<SubRun, 'agent' | 'message' | 'system' | 'timeoutMs' | 'signal'>,
) => Promise<{ output: unknown; failed?: true; spent: Spent }>;

export const spawnToolId = 'agent:spawn_agent';
const turnsDefault = 10;
const turnsMax = 25;
export const spawnsMax = 10;

function spawner(config: SubagentConfig, model: string, outcome: Outcome): RunnableTool {
  const { toolPool, maxTurnsLimit = turnsMax, defaultMaxTurns = turnsDefault, allowNesting } = config;
  const pool = toolPool.length > 0 ? z.array(z.enum(toolPool)) : z.array(z.never());
  return agentTool({
    name: 'spawn_agent',
    description:
      'Runs a new agent that you define for a part of the task, and returns its answer. It knows only what you tell it. Several can run at the same time.',
    parameters: z.strictObject({
      task: message.meta({ description: 'What it has to do, with everything it needs to know' }),
      instructions: z.string().max(20_000).optional().meta({ description: 'Its system prompt' }),
      tools: pool.optional().meta({ description: 'The tools that it gets. Default: none' }),
      maxTurns: z.int().min(1).max(maxTurnsLimit).optional(),
    }),
    type: 'subagent',
    repeatable: true,
    run: ({ task, instructions, tools = [], maxTurns }, signal, call) => {
      const loopConfig = { maxTurns: maxTurns ?? Math.min(defaultMaxTurns, maxTurnsLimit) };
      const agent: AgentToRun = {
        ...{ id: null, name: 'Spawned agent', versionId: null },
        content: {
          ...{ agentType: 'native', primaryFlowId: null, externalConfig: null, vendorManagedConfig: null },
          ...{ capabilities: [], secretKeys: [] },
          config: {
            model: config.defaultModel ?? model,
            loopConfig,
            tools: {
              toolIds: [...new Set(tools)],
              maxToolCalls: 50,
              ...(allowNesting && { subagentConfig: nested(config) }),
            },
          },
        },
      };
      return outcome(call, {
        agent,
        system: instructions,
        message: task,
        timeoutMs: config.defaultTimeoutMs ?? 300_000,
        signal,
      });
    },
  });
}

/** Each level may spawn half as many, so that nesting ends. */
const nested = (config: SubagentConfig): SubagentConfig => {
  const maxSpawnsPerRun = Math.floor((config.maxSpawnsPerRun ?? spawnsMax) / 2);
  return { ...config, maxSpawnsPerRun, allowNesting: maxSpawnsPerRun > 1 };
};
