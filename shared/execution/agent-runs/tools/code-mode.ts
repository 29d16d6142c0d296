import { StepError } from '../../../core/errors/step-error.ts';
import { noted } from '../../../core/tracing/active-span.ts';
import type { AgentTools, CodeModeConfig } from '../../../domain/agents/config/tools-config.ts';
import { callRefusal } from '../../agent-loop/tool-calls.ts';
import { type CodeMode, runCodeTool } from '../../tools/agent-only/run-code.ts';
import { callTool } from '../../tools/call-tool.ts';
import { isOfCaller, type RunnableTool } from '../../tools/runnable-tool.ts';
import { withUniqueNames } from '../../tools/tool-name.ts';
import type { AgentToolWorld } from './agent-tool-world.ts';
import { withFixed } from './fixed-arguments.ts';

/**
 * Code cannot wait for somebody, so it gets no tools that need an approval or the caller. The limits of calls hold for all
 * calls from code together, beside those that the model makes itself.
 */
export function codeModeTool(
  config: CodeModeConfig,
  pool: readonly RunnableTool[],
  { toolConfigs }: AgentTools,
  { ports, needsApproval, limits, codeCalls }: AgentToolWorld,
): RunnableTool {
  const usable = pool.filter((tool) => !isOfCaller(tool) && !needsApproval?.(tool));
  const tools = withUniqueNames(withFixed(usable, toolConfigs));
  const call: CodeMode['call'] = async (tool, args, signal, context) => {
    const refused = callRefusal({ name: tool.name, input: args ?? {} }, { tools, limits }, codeCalls.made());
    codeCalls.add(refused === undefined ? tool.id : undefined);
    if (refused) throw new StepError(refused);
    const facts = { k: 't' as const, n: tool.name, ty: tool.type };
    const outcome = await noted(facts, () => callTool(tool, args, signal, context));
    if ('awaitsCaller' in outcome) throw new StepError('Only the caller of the run can execute this tool');
    return outcome.output;
  };
  return runCodeTool({ ports, config, tools, callsMax: limits.callsMax, call });
}
