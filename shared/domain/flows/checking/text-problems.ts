import { schemaProblems } from '../../../adapters/json-schema/json-schema.ts';
import type { Sandbox } from '../../../adapters/sandbox/sandbox.ts';
import type { ErrorDetail } from '../../../core/errors/errors.ts';
import { invalid } from '../../../core/errors/errors.ts';
import { findOwnToolProblems } from '../../tools/own-tool-problems.ts';
import { isOfRuntimeTool } from '../secret-keys.ts';
import { promptStep } from '../step-types/prompt.ts';
import { type ConfigText, isFlowText } from '../steps/config-texts.ts';
import { PromptTools } from '../steps/prompt-tools.ts';
import { findSyntaxProblems } from '../steps/syntax-problems.ts';
import type { FlowStepInput } from './flow-step.ts';
import { type StepNode, walkStepNodes } from './step-nodes.ts';

declare const checked: unique symbol;
/** Steps whose texts all parse. */
export type CheckedSteps = readonly FlowStepInput[] & { readonly [checked]: true };

/** The last check before steps are saved or run. @param path Of the steps. @throws ServiceError 400 that lists invalid texts. */
export async function checkTexts(
  steps: readonly FlowStepInput[],
  path: readonly string[],
  sandbox: Sandbox,
): Promise<CheckedSteps> {
  const problems = await findTextProblems(steps, path, sandbox);
  if (problems.length > 0) throw invalid(problems);
  return steps as CheckedSteps;
}

/** Finds syntax errors, and errors in JSON Schemas, also in steps that are invalid in other ways. */
export async function findTextProblems(
  steps: unknown,
  path: readonly string[],
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  const nodes = [...walkStepNodes(steps, { path: [...path] })];
  const texts = nodes.flatMap((visit) =>
    visit.texts
      .filter(({ path }) => !isOfRuntimeTool(path))
      .map((text) => ({ ...text, path: [...visit.path, ...text.path] })),
  );
  const [ofTexts, ofSchemas, ofTools] = await Promise.all([
    findSyntaxProblems(texts.filter(isFlowText), sandbox),
    Promise.all(
      texts.filter(({ kind }) => kind === 'schema').map((text) => findJsonSchemaProblems(text, sandbox)),
    ),
    Promise.all(nodes.map((node) => findPromptToolProblems(node, sandbox))),
  ]);
  return [...ofTexts, ...ofSchemas.flat(), ...ofTools.flat()];
}

async function findPromptToolProblems({ step, path }: StepNode, sandbox: Sandbox): Promise<ErrorDetail[]> {
  if (step.type !== promptStep.type) return [];
  const { data } = PromptTools.safeParse(step.config.tools);
  return data ? findOwnToolProblems(data, [...path, 'config', 'tools'], sandbox) : [];
}

async function findJsonSchemaProblems({ text, path }: ConfigText, sandbox: Sandbox): Promise<ErrorDetail[]> {
  const problems = await schemaProblems(sandbox, JSON.parse(text));
  return problems.map((problem) => ({
    path: [...path.map(String), problem.path].filter(Boolean).join('.'),
    code: 'INVALID_SCHEMA',
    message: problem.message,
  }));
}
