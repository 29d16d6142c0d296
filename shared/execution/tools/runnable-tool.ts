import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { StepPlan } from '../step-support/step-runner.ts';
import type { ToolOutcome } from '../tool-support/tool-outcome.ts';

/** A tool of any kind, ready to run: its config is loaded and its permissions are checked. */
export interface RunnableTool {
  /** `tool_…`, `builtin:<id>`, `mcp:<server>:<tool>`, … */
  id: string;
  /** Unique among the tools of a call, and valid for every provider: `^[a-zA-Z0-9_-]{1,64}$`. */
  name: string;
  /** Names that it had before it got this one. */
  otherNames?: readonly string[] | undefined;
  description: string;
  parameters: JsonSchema;
  /** `flow`, `custom`, `builtin`, … */
  type: string;
  /**
   * Checks the arguments against the schema, without coercion, and says what a call does. Sends nothing: `callTool` makes
   * the call. @throws ArgumentsError if they do not fit; StepError
   */
  plan: (args: unknown, signal: AbortSignal) => Promise<PlannedCall>;
  /** Whether a call that was interrupted may run again with the same arguments. Default: false. */
  repeatable?: boolean | undefined;
  /** The same for people, with masked secrets. @throws as `plan` */
  preview: (args: unknown, signal: AbortSignal) => Promise<object>;
}

/** A call before it is made. Its request has the values of secrets, so it is neither stored nor shown. */
export interface PlannedCall extends StepPlan<unknown> {
  /** @throws StepError if the tool fails. */
  perform: (call?: ToolCallContext) => Promise<ToolOutcome>;
}

export const pageToolType = 'page';

export const isOfCaller = ({ type }: Pick<RunnableTool, 'type'>) => type === 'local' || type === pageToolType;

export interface ToolCallContext {
  /** `call_…`, the same whenever the call is repeated. Tools over HTTP send it as `Idempotency-Key`. */
  id: string;
  emit: (event: ToolEvent) => void;
}

export type ToolEvent = { type: 'output'; delta: string } | { type: 'custom'; name: string; value: unknown };
