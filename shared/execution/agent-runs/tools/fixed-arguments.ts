import type { AgentTools } from '../../../domain/agents/config/tools-config.ts';
import type { RunnableTool } from '../../tools/runnable-tool.ts';

/** A tool with arguments that the model neither sees nor chooses. */
function withFixedArguments(
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
  const withFixed = (args: unknown) =>
    typeof args === 'object' && args !== null && !Array.isArray(args) ? { ...args, ...fixed } : args;
  return {
    ...tool,
    parameters: {
      ...rest,
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isOpen(name))),
      ...(required.some(isOpen) && { required: required.filter(isOpen) }),
    },
    plan: (args, signal) => tool.plan(withFixed(args), signal),
    preview: (args, signal) => tool.preview(withFixed(args), signal),
  };
}

export const withFixed = (tools: readonly RunnableTool[], toolConfigs: AgentTools['toolConfigs'] = {}) =>
  tools.map((tool) => withFixedArguments(tool, toolConfigs[tool.id] ?? toolConfigs[tool.name]));
