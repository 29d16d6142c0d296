import * as z from 'zod';
import type { ToolOutcome } from '../../tool-support/tool-runner.ts';
import { ArgumentsError, type RunnableTool, runTool, type ToolCallContext } from '../call-tool.ts';
import { pickOwnArguments } from '../own-arguments.ts';

export interface AgentTool<Parameters extends z.ZodObject> {
  name: string;
  description: string;
  parameters: Parameters;
  /** As in `RunnableTool`. */
  type: string;
  repeatable?: boolean;
  /** The checked arguments are the plan. @throws StepError */
  perform: (
    args: z.output<Parameters>,
    signal: AbortSignal,
    call: ToolCallContext | undefined,
  ) => Promise<ToolOutcome>;
}

export function defineAgentTool<Parameters extends z.ZodObject>(tool: AgentTool<Parameters>): RunnableTool {
  const { name, description, type, repeatable } = tool;
  const { $schema: _draft, ...parameters } = z.toJSONSchema(tool.parameters, { io: 'input' });

  function parseArguments(args: unknown): z.output<Parameters> {
    const { data, error } = pickOwnArguments(tool.parameters, args);
    if (!error) return data as z.output<Parameters>;
    throw new ArgumentsError(
      name,
      error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
    );
  }

  return {
    id: `agent:${name}`,
    name,
    description,
    parameters,
    type,
    repeatable,
    async plan(rawArguments, signal) {
      const args = parseArguments(rawArguments);
      return {
        request: { toolName: name, arguments: args },
        perform: (call) => runTool(name, () => tool.perform(args, signal, call)),
      };
    },
    preview: async (args) => ({ toolName: name, arguments: parseArguments(args) as object }),
  };
}
