import type * as z from 'zod';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { BuiltinTool } from '../../domain/tools/builtin/builtin-tool.ts';
import type { ToolOutcome } from './tool-outcome.ts';

/** Makes a call of a built-in tool, whose checked arguments are its plan. @throws StepError */
export interface BuiltinRunner<Args> {
  perform: (args: Args, call: { ports: Ports; signal: AbortSignal }) => Promise<ToolOutcome> | ToolOutcome;
}

export const defineBuiltinRunner = <Parameters extends z.ZodObject>(
  _tool: BuiltinTool<string, Parameters>,
  runner: BuiltinRunner<z.output<Parameters>>,
) => runner;

// biome-ignore lint/suspicious/noExplicitAny: a registry holds runners of every shape
export type AnyBuiltinRunner = BuiltinRunner<any>;
