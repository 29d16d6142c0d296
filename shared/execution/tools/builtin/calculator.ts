import { StepError } from '../../../core/errors/step-error.ts';
import { calculate } from '../../../core/variables/decimal-expression.ts';
import { calculatorTool } from '../../../domain/tools/builtin/calculator.ts';
import { defineBuiltinRunner } from '../../tool-support/builtin-runner.ts';

export const calculatorToolRunner = defineBuiltinRunner(calculatorTool, {
  perform({ expression, variables = {} }) {
    try {
      const result = calculate(expression, variables);
      return { output: { result, number: Number(result) } };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new StepError(error.message, { cause: error });
    }
  },
});
