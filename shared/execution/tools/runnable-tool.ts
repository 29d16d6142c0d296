import type { JsonSchema } from '../../adapters/model-port.ts';
import type { ToolOutcome } from '../tool-support/tool-outcome.ts';

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
   * Checks the arguments against the schema, without coercion, and runs the tool. @throws ArgumentsError if they do not
   * fit (the tool does not run then); StepError if the tool fails.
   */
  run: (args: unknown, signal: AbortSignal) => Promise<ToolOutcome>;
  /** What `run` would send, with masked secrets. Sends nothing. @throws as `run` */
  preview: (args: unknown, signal: AbortSignal) => Promise<object>;
}
