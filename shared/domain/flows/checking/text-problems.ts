import { findTextProblems } from '../../../adapters/code/tasks.ts';
import type { FlowText } from '../../../adapters/code/texts.ts';
import { schemaProblems } from '../../../adapters/json-schema/json-schema.ts';
import { type Sandbox, SandboxError } from '../../../adapters/sandbox/sandbox.ts';
import type { ErrorDetail } from '../../../core/errors.ts';
import { invalid } from '../../../core/errors.ts';
import { escapedForScript } from '../../../core/redaction/secret-forms.ts';
import { replaceInScript } from '../../../core/secret-references.ts';
import type { FlowStepInput } from './flow-step.ts';
import { stepNodesOf } from './step-nodes.ts';
import { type ConfigText, isFlowText } from './texts.ts';

/** The time limit for all texts of one request. */
const timeoutMs = 5_000;

declare const checked: unique symbol;
/** Steps whose texts all parse. */
export type CheckedSteps = readonly FlowStepInput[] & { readonly [checked]: true };

/**
 * Checks that every template, expression and script parses: the last check before steps are saved or run. @param path
 * Of the steps within the body. @throws ServiceError 400 that lists each text which does not parse.
 */
export async function checkTexts(
  steps: readonly FlowStepInput[],
  path: readonly string[],
  sandbox: Sandbox,
): Promise<CheckedSteps> {
  const problems = await textProblems(steps, path, sandbox);
  if (problems.length > 0) throw invalid(problems);
  return steps as CheckedSteps;
}

/**
 * The syntax errors in the templates, expressions and scripts of steps, which may be invalid in other ways, and the
 * errors in their JSON Schemas.
 */
export async function textProblems(
  steps: unknown,
  path: readonly string[],
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  const texts = [...stepNodesOf(steps, { path: [...path], branches: [], last: true })].flatMap((visit) =>
    visit.texts.map((text) => ({ ...text, path: [...visit.path, ...text.path] })),
  );
  const [ofTexts, ofSchemas] = await Promise.all([
    syntaxProblems(texts.filter(isFlowText), sandbox),
    Promise.all(
      texts.filter(({ kind }) => kind === 'schema').map((text) => jsonSchemaProblems(text, sandbox)),
    ),
  ]);
  return [...ofTexts, ...ofSchemas.flat()];
}

async function jsonSchemaProblems({ text, path }: ConfigText, sandbox: Sandbox): Promise<ErrorDetail[]> {
  const problems = await schemaProblems(sandbox, JSON.parse(text));
  return problems.map((problem) => ({
    path: [...path.map(String), problem.path].filter(Boolean).join('.'),
    code: 'INVALID_SCHEMA',
    message: problem.message,
  }));
}

/** The syntax errors in templates, expressions and scripts. */
export async function syntaxProblems(
  texts: readonly (ConfigText & FlowText)[],
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  if (texts.length === 0) return [];
  const at = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const input = { texts: texts.map(asChecked), at };
  try {
    const problems = await sandbox(findTextProblems, input, { timeoutMs });
    return texts.flatMap((text, index) => detailOf(text, problems[index]));
  } catch (error) {
    const culprit = texts[at[0] ?? 0];
    if (!(error instanceof SandboxError) || !culprit) throw error;
    return detailOf(culprit, 'The text is nested too deeply, or takes too long to check; simplify it');
  }
}

/**
 * Replaces secret references with an escape sequence, which is only valid inside a literal. So the check also finds
 * references outside of literals.
 */
const asChecked = ({ kind, text }: FlowText): FlowText => ({
  kind,
  text: kind === 'template' ? text : replaceInScript(text, () => escapedForScript('-')),
});

const detailOf = ({ kind, path }: ConfigText, message: string | undefined): ErrorDetail[] =>
  message === undefined
    ? []
    : [
        {
          path: path.map(String).join('.'),
          code: kind === 'template' ? 'INVALID_TEMPLATE' : 'INVALID_SCRIPT',
          message,
        },
      ];
