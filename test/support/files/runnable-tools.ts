import type { ToolOutcome } from '../../../shared/execution/tool-support/tool-runner.ts';
import {
  callTool,
  type RunnableTool,
  type ToolCallContext,
} from '../../../shared/execution/tools/call-tool.ts';

export type MadeCall = (args: unknown, signal: AbortSignal, call?: ToolCallContext) => Promise<ToolOutcome>;

/** A tool by hand, which does what `made` does. */
export const fakeTool = (
  given: Partial<RunnableTool> & Pick<RunnableTool, 'name'>,
  made: MadeCall = async () => ({ output: given.name }),
): RunnableTool => ({
  id: `tool_${given.name}`,
  description: '',
  parameters: {},
  type: 'custom',
  repeatable: false,
  plan: async (args, signal) => ({
    request: { name: given.name, args },
    perform: (call) => made(args, signal, call),
  }),
  preview: async () => ({}),
  ...given,
});

/** Calls a tool that a test expects to be there. */
export async function called(
  tool: RunnableTool | undefined,
  ...call: Parameters<MadeCall>
): Promise<ToolOutcome> {
  if (!tool) throw new Error('There is no such tool');
  return callTool(tool, ...call);
}
