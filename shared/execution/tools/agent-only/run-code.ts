import * as z from 'zod';
import { evaluateWithTools } from '../../../adapters/code/evaluate-with-tools.ts';
import { resultCharactersMax } from '../../../adapters/code/tool-program-limits.ts';
import type { Ports } from '../../../adapters/ports/ports.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import { parseExact } from '../../../core/json/exact-json.ts';
import { truncate } from '../../../core/text.ts';
import { activeSpan, inSpan } from '../../../core/tracing/active-span.ts';
import type { CodeModeConfig } from '../../../domain/agents/config/tools-config.ts';
import { actKey } from '../../step-support/acts.ts';
import type { RunnableTool, ToolCallContext } from '../call-tool.ts';
import { agentTool } from './agent-tool.ts';
import { toolSignatures } from './signatures.ts';

export const runCodeToolName = 'run_code';

export interface CodeMode {
  ports: Pick<Ports, 'sandbox'>;
  config: Pick<CodeModeConfig, 'description' | 'timeoutMs'>;
  /** Those of the pool, with unique names. Without tools that need an approval or the caller: code cannot wait. */
  tools: readonly RunnableTool[];
  callsMax: number;
  /** Makes a call, which counts as the run's own. @throws StepError that the code sees, as if the tool failed */
  call: (
    tool: RunnableTool,
    args: unknown,
    signal: AbortSignal,
    context: ToolCallContext | undefined,
  ) => Promise<unknown>;
}

const timeoutMsDefault = 60_000;
const codeCharactersMax = 50_000;

export function runCodeTool({ ports, config, tools, callsMax, call }: CodeMode): RunnableTool {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const timeoutMs = config.timeoutMs ?? timeoutMsDefault;

  function callsOf(whole: ToolCallContext | undefined) {
    let count = 0;
    return async (name: string, args: unknown, signal: AbortSignal): Promise<unknown> => {
      const tool = byName.get(name);
      if (!tool)
        throw new StepError(`There is no tool ${name}; the tools are ${[...byName.keys()].join(', ')}`);
      count++;
      return call(tool, args, signal, whole && { id: actKey(whole.id, String(count), args), emit() {} });
    };
  }

  return agentTool({
    name: runCodeToolName,
    description: truncate(config.description ?? purpose, descriptionCharactersMax),
    parameters: z.strictObject({
      code: z
        .string()
        .min(1)
        .max(codeCharactersMax)
        .meta({ description: codeDescription(tools, { timeoutMs, callsMax }) }),
    }),
    type: 'custom',
    async perform({ code }, signal, whole) {
      // The thread that runs the code calls back outside of the span.
      const span = activeSpan();
      const callByName = callsOf(whole);
      const callInSpan: typeof callByName = (...given) => inSpan(span, () => callByName(...given));
      const given = { code, toolNames: [...byName.keys()], callsMax, timeoutMs, signal, call: callInSpan };
      const outcome = await evaluateWithTools(ports.sandbox, given);
      const written = outcome.console.join('\n');
      if ('error' in outcome) {
        throw new StepError(`The code ${outcome.error}${written && `\nConsole:\n${written}`}`);
      }
      const result: unknown = outcome.json === undefined ? null : parseExact(outcome.json);
      return { output: { result, ...(written && { console: written }) } };
    },
  });
}

/** OpenAI rejects longer descriptions of tools, but not of parameters. */
const descriptionCharactersMax = 1_024;

const purpose =
  'Runs JavaScript that can call tools. Use it to combine several calls, to repeat a call, or to filter and compute with results instead of reading them all.';

const codeDescription = (
  tools: readonly RunnableTool[],
  { timeoutMs, callsMax }: { timeoutMs: number; callsMax: number },
) =>
  [
    'The body of an async function: use await, and return the result as JSON data. console.log adds lines to the result. A call that fails throws an Error. There is no network, file system, timer or import; nothing survives a run. Calls that you do not await are cancelled.',
    `Limits: ${timeoutMs / 1_000} seconds, ${callsMax} tool calls, ${resultCharactersMax} characters of result.`,
    toolSignatures(tools),
  ].join('\n\n');
