import { failureOfAct } from '../step-support/acts.ts';
import type { ToolOutcome } from '../tool-support/tool-outcome.ts';
import type { RunnableTool, ToolCallContext } from './runnable-tool.ts';

/**
 * What surrounds the call of a tool, in its order: plan → perform. All calls are made here: those of steps, of agents and
 * their code, and those by themselves. @throws ArgumentsError if the arguments do not fit (nothing is done then); StepError,
 * of unknown outcome if a tool with effects may have done its work
 * @param onPlanned Called when the arguments fit, before anything is done.
 */
export async function callTool(
  tool: RunnableTool,
  args: unknown,
  signal: AbortSignal,
  call?: ToolCallContext,
  onPlanned?: () => Promise<void>,
): Promise<ToolOutcome> {
  const planned = await tool.plan(args, signal);
  await onPlanned?.();
  try {
    return await planned.perform(call);
  } catch (error) {
    throw tool.repeatable ? error : failureOfAct(error);
  }
}
