import type { JsonSchema } from '../../adapters/model-port.ts';

/** A tool of any kind, ready to run: its config is loaded and its permissions are checked. */
export interface RunnableTool {
  /** `tool_…` or `builtin:<id>`. */
  id: string;
  /** Unique among the tools of a call, and valid for every provider: `^[a-zA-Z0-9_-]{1,64}$`. */
  name: string;
  description: string;
  parameters: JsonSchema;
  /** `flow`, `custom`, `builtin`, … */
  type: string;
  /**
   * Checks the arguments against the schema, without coercion, and runs the tool. @throws StepError if they do not fit
   * (the tool does not run then) or the tool fails.
   */
  run: (args: unknown, signal: AbortSignal) => Promise<ToolOutcome>;
}

/** `awaitsCaller`: the caller of the run executes the tool and sends its output. */
export type ToolOutcome = { output: unknown } | { awaitsCaller: true };
