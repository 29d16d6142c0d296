import { findTextProblemsTask } from '../../../adapters/code/tasks.ts';
import type { FlowText } from '../../../adapters/code/texts.ts';
import { type Sandbox, SandboxError } from '../../../adapters/sandbox/sandbox.ts';
import type { ErrorDetail } from '../../../core/errors/errors.ts';
import { escapeForScript } from '../../../core/redaction/secret-forms.ts';
import { replaceInScript } from '../../../core/variables/secret-references.ts';
import type { ConfigText } from './config-texts.ts';

/** The time limit for all texts of one request. */
const timeoutMs = 5_000;

export async function findSyntaxProblems(
  texts: readonly (ConfigText & FlowText)[],
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  if (texts.length === 0) return [];
  const at = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const input = { texts: texts.map(toChecked), at };
  try {
    const problems = await sandbox(findTextProblemsTask, input, { timeoutMs });
    return texts.flatMap((text, index) => toDetails(text, problems[index]));
  } catch (error) {
    const culprit = texts[at[0] ?? 0];
    if (!(error instanceof SandboxError) || !culprit) throw error;
    return toDetails(culprit, 'The text is nested too deeply, or takes too long to check; simplify it');
  }
}

/** The escape sequence is valid only inside a literal, so the check also finds references outside of literals. */
const toChecked = ({ kind, text }: FlowText): FlowText => ({
  kind,
  text: kind === 'template' ? text : replaceInScript(text, () => escapeForScript('-')),
});

const toDetails = ({ kind, path }: ConfigText, message: string | undefined): ErrorDetail[] =>
  message === undefined
    ? []
    : [
        {
          path: path.map(String).join('.'),
          code: kind === 'template' ? 'INVALID_TEMPLATE' : 'INVALID_SCRIPT',
          message,
        },
      ];
