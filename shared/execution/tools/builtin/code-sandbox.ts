import { evaluateScript } from '../../../adapters/code/evaluate-code.ts';
import { codeSandboxTool } from '../../../domain/tools/builtin/code-sandbox.ts';
import { defineBuiltinRunner } from '../../tool-support/tool-runner.ts';

export const codeSandboxToolRunner = defineBuiltinRunner(codeSandboxTool, {
  async perform({ code, input = null, language, timeoutMs }, { ports, signal }) {
    return {
      output: await evaluateScript(
        ports.sandbox,
        code,
        { input },
        { language, timeoutMs, signal, shown: ports.shown },
      ),
    };
  },
});
