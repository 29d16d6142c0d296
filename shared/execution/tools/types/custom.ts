import { evaluateScript } from '../../../adapters/code/evaluate-code.ts';
import { escapeForScript } from '../../../core/redaction/secret-forms.ts';
import { replaceInScript } from '../../../core/secret-references.ts';
import { customTool } from '../../../domain/tools/tool-types/custom.ts';
import { defineToolRunner, mask } from '../../tool-support/tool-runner.ts';

export const customToolRunner = defineToolRunner(customTool, {
  plan({ config: { code, language }, variables }) {
    const secrets = (variables.secrets ?? {}) as Record<string, string>;
    const filled = replaceInScript(code, (key) => escapeForScript(secrets[key] ?? ''));
    return { request: { code: filled, language, variables } };
  },
  perform: async ({ code, language, variables }, { config: { timeoutMs }, ports, signal }) => ({
    output: await evaluateScript(ports.sandbox, code, variables, {
      language,
      timeoutMs,
      signal,
      shown: ports.shown,
    }),
  }),
  repeatable: () => true,
  shown: ({ variables: { input } }, { code }) => ({ code: replaceInScript(code, () => mask), input }),
});
