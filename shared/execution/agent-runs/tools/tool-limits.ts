import type { AgentCapability } from '../../../domain/agents/config/agent.ts';
import type { AgentTools } from '../../../domain/agents/config/tools-config.ts';
import type { Loop } from '../../agent-loop/loop.ts';
import { toToolName } from '../../tools/tool-name.ts';
import { spawnsMax, spawnToolId } from './sub-agents.ts';

type Limits = NonNullable<AgentTools['perToolLimits']>;

/** The limits of single tools. That of a capability also holds for its tool, which code and spawned agents can reach. */
export function perToolLimits(
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

export function toolLimits(
  tools: AgentTools,
  capabilities: readonly AgentCapability[],
): Pick<Loop, 'limits' | 'requiredTools'> {
  const single = Object.entries(perToolLimits(tools, capabilities));
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
