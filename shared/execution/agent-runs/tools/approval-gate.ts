import type { AgentCapability } from '../../../domain/agents/config/agent.ts';
import type { AgentTools } from '../../../domain/agents/config/tools-config.ts';
import type { RunnableTool } from '../../tools/runnable-tool.ts';
import { toToolName } from '../../tools/tool-name.ts';

export type ApprovalConfig = NonNullable<AgentTools['approval']>;

/** What needs an approval. The name of a capability also stands for its tool, which code and spawned agents can reach. */
export function withCapabilityTools(
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
export function approvalGate(
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
