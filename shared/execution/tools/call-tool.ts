/**
 * The calls of tools: what a tool is once it can run, the order plan → perform, and the limits and errors that all
 * calls have.
 * `callTool` is the only place from which tools are called: by steps, by agents and their code, and on their own. The
 * plan checks the arguments and sends nothing; a failure after it has an unknown outcome unless the tool can be
 * repeated, so that engines do not run it again.
 * Outputs are limited in size and depth, and errors name the tool (`runTool`). Arguments are checked against the schema
 * without coercion.
 * `open-tools.ts` and `agent-only/` make tools runnable; loops and executors of tools call them.
 */
import type * as z from 'zod';
import { checkValue } from '../../adapters/json-schema/json-schema.ts';
import type { ValueProblem } from '../../adapters/json-schema/limits.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { toDoubles, toTextNumbers } from '../../core/json/exact-json.ts';
import { countCharacters } from '../../core/json/json-texts.ts';
import { isDeeperThan, nestingLevelsMax } from '../../core/json/nesting.ts';
import { toFlowingValue } from '../../core/redaction/hidden.ts';
import { toActFailure } from '../step-support/acts.ts';
import type { StepPlan } from '../step-support/step-runner.ts';
import type { ToolOutcome } from '../tool-support/tool-runner.ts';

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
    throw tool.repeatable ? error : toActFailure(error);
  }
}

/** Also the limit of a script's result and of a template's output. */
const outputCharactersMax = 4_000_000;

/** The arguments of a call do not fit the tool's schema. The tool was not called. */
export class ArgumentsError extends StepError {
  readonly problems: readonly ValueProblem[];

  constructor(tool: string, problems: readonly ValueProblem[]) {
    const listed = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
    super(`The arguments do not fit the tool ${tool}: ${listed}`);
    this.problems = problems;
  }
}

/** @throws ArgumentsError */
export async function checkArguments(
  { sandbox }: Pick<Ports, 'sandbox'>,
  { name, parameters }: { name: string; parameters: JsonSchema },
  args: unknown,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const problems = await checkValue(sandbox, parameters, args, { signal });
  if (problems.length > 0) throw new ArgumentsError(name, problems);
  return args as Record<string, unknown>;
}

/** The outcome within the limits for outputs. @throws StepError that names the tool. */
export const runTool = (name: string, work: () => Promise<ToolOutcome> | ToolOutcome): Promise<ToolOutcome> =>
  nameToolInErrors(name, async () => {
    const outcome = await work();
    if ('output' in outcome) checkOutput(toFlowingValue(outcome));
    return outcome;
  });

/** @throws StepError that names the tool. */
export async function nameToolInErrors<Result>(
  name: string,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    throw new StepError(`The tool ${name} failed: ${error.message}`, {
      retryable: error.retryable,
      kind: error.kind,
      code: error.code,
      undone: error.undone,
      cause: error,
    });
  }
}

function checkOutput(output: unknown): void {
  if (isDeeperThan(nestingLevelsMax, output)) {
    throw new StepError(
      `The result is nested more than ${nestingLevelsMax} levels deep; return a flatter value`,
    );
  }
  if (countCharacters(output, outputCharactersMax) > outputCharactersMax) {
    throw new StepError(`The result has more than ${outputCharactersMax} characters; return less`);
  }
}

/**
 * The arguments of a tool of ours. A whole number beyond 2^53 is a text where the tool takes texts of digits too; what is
 * wrong with it elsewhere is said of a number.
 */
export function pickOwnArguments<S extends z.ZodType>(
  schema: S,
  args: unknown,
): z.ZodSafeParseResult<z.output<S>> {
  const result = schema.safeParse(args);
  const texts = result.success ? args : toTextNumbers(args);
  if (texts === args) return result;
  const withDigits = schema.safeParse(texts);
  return withDigits.success ? withDigits : schema.safeParse(toDoubles(args));
}
