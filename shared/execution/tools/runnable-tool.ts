import type { JsonSchema } from '../../adapters/model-port.ts';
import type { ToolOutcome } from '../tool-support/tool-outcome.ts';

/** One call of a tool. */
export interface CallIdentity {
  /**
   * Unique among all calls, and the same when a call is repeated: 1 to 255 printable ASCII characters. Tools over HTTP
   * send it as `Idempotency-Key`.
   */
  id: string;
}

/** A tool of any kind, ready to run: its config is loaded and its permissions are checked. */
export interface RunnableTool {
  /** `tool_…`, `builtin:<id>`, `mcp:<server>:<tool>`, … */
  id: string;
  /** Unique among the tools of a call, and valid for every provider: `^[a-zA-Z0-9_-]{1,64}$`. */
  name: string;
  description: string;
  parameters: JsonSchema;
  /** `flow`, `custom`, `builtin`, … */
  type: string;
  /** Whether the tool may be called again if an earlier call with the same arguments was interrupted. */
  repeatable: boolean;
  /**
   * Checks the arguments against the schema, without coercion, and runs the tool. @throws ArgumentsError if they do not
   * fit (the tool does not run then); StepError if the tool fails.
   */
  run: (args: unknown, signal: AbortSignal, call?: CallIdentity) => Promise<ToolOutcome>;
  /** What `run` would send, with masked secrets. Sends nothing. @throws as `run` */
  preview: (args: unknown, signal: AbortSignal) => Promise<object>;
}
