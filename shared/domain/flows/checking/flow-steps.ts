/**
 * Checks the steps that a caller sends for a flow, and completes them with defaults.
 * First `FlowStepsInput` (limits of the whole tree, then each config against its step type, then the number of
 * secrets), then `checkTexts`, which parses templates, expressions, schemas and scripts in the sandbox; only its result
 * has the type that `normaliseSteps` takes. Limits of the tree come first because they bound the depth of what follows.
 * Steps are saved or run only after all three. `findTextProblems` works on invalid steps too, for the validation
 * endpoint (`analysis/validate.ts`).
 */
import * as z from 'zod';
import { schemaProblems } from '../../../adapters/json-schema/json-schema.ts';
import type { Sandbox } from '../../../adapters/sandbox/sandbox.ts';
import type { DetailCode } from '../../../core/errors/error-codes.ts';
import { type ErrorDetail, invalid, tooLarge } from '../../../core/errors/errors.ts';
import type { NewId } from '../../../core/ids.ts';
import { hasTooManyValues } from '../../../core/json/value-count.ts';
import { countResponseBytes, responseBytesMax } from '../../../platform/http/responses/body-sizes.ts';
import { findOwnToolProblems } from '../../tools/own-tool-problems.ts';
import { isOfRuntimeTool, secretKeysOfSteps } from '../secret-keys.ts';
import { stepTypeNames } from '../step-types/index.ts';
import { promptStep } from '../step-types/prompt.ts';
import { type ConfigText, findSyntaxProblems, isFlowText } from '../steps/config-texts.ts';
import { findHeldLists, mapHeldLists, nestedListsMax } from '../steps/held-lists.ts';
import { PromptTools } from '../steps/prompt-tools.ts';
import type { FlowStep } from '../steps/step.ts';
import { type FlowStepInput, NestedSteps } from './flow-step.ts';
import { listRuntimeTools, type StepNode, walkStepNodes } from './step-nodes.ts';

const stepsMax = 1_000;
/** Each is checked in the sandbox, also for callers without a credential. */
const toolsMax = 200;
/** Each text is looked through for what it names, and filled by itself when its step runs. */
const stepValuesMax = 20_000;
/** The transaction that saves the flow writes one item per secret. */
const secretsMax = 40;

/** The steps of a flow as a caller sends them. Validates each config against its step type, including nested steps. */
export const FlowStepsInput = z
  .preprocess((steps: FlowStepInput[], context) => {
    // First, since this limits the depth for the schema.
    for (const issue of findTreeIssues(steps)) context.issues.push(issue);
    return steps;
  }, NestedSteps)
  .superRefine((steps, context) => {
    if (secretKeysOfSteps(steps).length <= secretsMax) return;
    const message = `A flow references at most ${secretsMax} secrets`;
    context.addIssue({ code: 'custom', params: { code: 'TOO_MANY_SECRETS' }, message });
  });

/** Adds defaults (id, order, enabled); sorts by order, then position. @throws ServiceError 413 if no response could hold them. */
export function normaliseSteps(steps: CheckedSteps, newId: NewId): FlowStep[] {
  const normalised = completeSteps(steps, newId);
  if (countResponseBytes(normalised) > responseBytesMax) throw createTooLargeIssue();
  return normalised;
}

const createTooLargeIssue = () =>
  tooLarge(
    `The steps of a flow take at most ${responseBytesMax} bytes inside a JSON string, where a quote, a backslash or a line break counts twice`,
  );

const completeSteps = (steps: readonly FlowStepInput[], newId: NewId): FlowStep[] =>
  steps
    .map(({ type, name, id, order, enabled, when, retry, timeoutMs, config }, index) => ({
      id: id ?? newId('step'),
      type,
      name,
      order: order ?? index,
      enabled: enabled ?? true,
      ...(when !== undefined && { when }),
      ...(retry && { retry }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      config: mapHeldLists(config ?? {}, (held) => completeSteps(held as FlowStepInput[], newId)),
    }))
    .sort((one, other) => one.order - other.order);

type Issue = z.core.$ZodRawIssue;

/** Issues of the whole tree: number, depth, tools, duplicate ids. Also unknown types. */
function findTreeIssues(steps: unknown): Issue[] {
  const issues: Issue[] = [];
  const ids = new Set<unknown>();
  let count = 0;
  let tools = 0;
  let isOutOfBounds = false;
  const refuse = (path: PropertyKey[], code: DetailCode, message: string) =>
    issues.push({ code: 'custom', params: { code }, path, message, input: undefined });
  /** Listed before the issues of single steps, which may be truncated. */
  const refuseAll = (...refusal: Parameters<typeof refuse>) => {
    isOutOfBounds = true;
    refuse(...refusal);
    issues.unshift(...issues.splice(-1));
  };

  const visit = (list: readonly unknown[], path: PropertyKey[], depth: number) => {
    if (depth > nestedListsMax) {
      return refuseAll(path, 'TOO_DEEP', `Steps can be nested at most ${nestedListsMax} levels deep`);
    }
    for (const [index, step] of list.entries()) {
      if (count > stepsMax) return;
      const at = [...path, index];
      if (++count > stepsMax) {
        return refuseAll(at, 'TOO_MANY_STEPS', `A flow has at most ${stepsMax} steps`);
      }
      if (typeof step !== 'object' || step === null) continue;
      const { type, id, config } = step as Partial<FlowStepInput>;
      tools += listRuntimeTools(Object(config)).length;
      if (tools > toolsMax) {
        const message = `The prompts of a flow define at most ${toolsMax} runtime tools together`;
        return refuseAll([...at, 'config', 'tools', 'runtimeTools'], 'TOO_MANY_TOOLS', message);
      }
      if (!stepTypeNames.some((name) => name === type)) issues.push(createUnknownType(type, [...at, 'type']));
      if (id !== undefined && ids.has(id))
        refuse([...at, 'id'], 'DUPLICATE_ID', `Another step has the id ${id}; give each step its own`);
      ids.add(id);
      for (const held of findHeldLists(config)) visit(held.steps, [...at, 'config', ...held.at], depth + 1);
    }
  };
  if (Array.isArray(steps)) visit(steps, [], 0);
  if (!isOutOfBounds && hasTooManyValues(steps, stepValuesMax)) {
    const message = `The steps of a flow have at most ${stepValuesMax} values of JSON together, each list and object with what is in it counted. Give large data as inputs, or keep it in records`;
    refuseAll([], 'TOO_MANY_VALUES', message);
  }
  return issues;
}

const createUnknownType = (input: unknown, path: PropertyKey[]): Issue => ({
  code: 'invalid_value',
  values: stepTypeNames,
  message: `Expected one of ${stepTypeNames.join(', ')}`,
  input,
  path,
});

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
