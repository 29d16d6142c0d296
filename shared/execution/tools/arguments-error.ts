import type { ValueProblem } from '../../adapters/json-schema/limits.ts';
import { StepError } from '../../core/errors/step-error.ts';

/** The arguments of a call do not fit the tool's schema. The tool was not called. */
export class ArgumentsError extends StepError {
  readonly problems: readonly ValueProblem[];

  constructor(tool: string, problems: readonly ValueProblem[]) {
    const listed = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
    super(`The arguments do not fit the tool ${tool}: ${listed}`);
    this.problems = problems;
  }
}
