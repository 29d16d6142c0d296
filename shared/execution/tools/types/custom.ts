import { evaluateScript } from '../../../adapters/code/evaluate-code.ts';
import { escapedForScript } from '../../../core/redaction/secret-forms.ts';
import { replaceInScript } from '../../../core/secrets/secret-references.ts';
import { customTool } from '../../../domain/tools/tool-types/custom.ts';
import { defineToolRunner, type ToolRun } from '../../tool-support/tool-runner.ts';

export const custom = defineToolRunner(customTool, {
  async run(call) {
    const { config, variables, ports, signal } = call;
    const { language, timeoutMs } = config;
    const code = codeOf(call, escapedForScript);
    return {
      output: await evaluateScript(ports.sandbox, code, variables, { language, timeoutMs, signal }),
    };
  },
  repeatable: () => true,
  preview: (call) => ({ code: codeOf(call, (mask) => mask), input: call.args }),
});

function codeOf(
  { config: { code }, variables }: Pick<ToolRun<{ code: string }>, 'config' | 'variables'>,
  written: (value: string) => string,
) {
  const secrets = (variables.secrets ?? {}) as Record<string, string>;
  return replaceInScript(code, (key) => written(secrets[key] ?? ''));
}
