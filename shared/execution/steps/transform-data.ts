import { evaluateScript } from '../../adapters/code/evaluate-code.ts';
import { escapeForScript } from '../../core/redaction/secret-forms.ts';
import { replaceInScript } from '../../core/secret-references.ts';
import { transformDataStep } from '../../domain/flows/step-types/transform-data.ts';
import { defineFreeRunner } from '../step-support/step-runner.ts';

export const transformDataRunner = defineFreeRunner(transformDataStep, {
  async run({ config: { script, language, timeoutMs }, variables, ports, signal }) {
    const secrets = (variables.secrets ?? {}) as Record<string, string>;
    const filled = replaceInScript(script, (key) => escapeForScript(secrets[key] ?? ''));
    return {
      output: await evaluateScript(ports.sandbox, filled, variables, {
        language,
        timeoutMs,
        signal,
        shown: ports.shown,
      }),
    };
  },
});
