import { checkValue } from '../../adapters/json-schema/json-schema.ts';
import type { ValueProblem } from '../../adapters/json-schema/limits.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { characterCount } from '../../core/json/json-texts.ts';
import { isDeeperThan, nestingLevelsMax } from '../../core/json/nesting.ts';
import { flowing } from '../../core/redaction/hidden.ts';
import type { ToolOutcome } from '../tool-support/tool-outcome.ts';

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
export const toolOutcome = (
  name: string,
  work: () => Promise<ToolOutcome> | ToolOutcome,
): Promise<ToolOutcome> =>
  namingTool(name, async () => {
    const outcome = await work();
    if ('output' in outcome) checkOutput(flowing(outcome));
    return outcome;
  });

/** @throws StepError that names the tool. */
export async function namingTool<Result>(
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
  if (characterCount(output, outputCharactersMax) > outputCharactersMax) {
    throw new StepError(`The result has more than ${outputCharactersMax} characters; return less`);
  }
}
