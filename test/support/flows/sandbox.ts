import * as scripts from '../../../shared/adapters/code/evaluate-code.ts';
import type { FlowText } from '../../../shared/adapters/code/texts.ts';
import { tenantSandbox } from '../../../shared/adapters/sandbox/sandbox.ts';
import { createFiller } from '../../../shared/adapters/templates/filler.ts';
import type { Variables } from '../../../shared/core/variables.ts';
import type { FlowStepInput } from '../../../shared/domain/flows/checking/flow-step.ts';
import {
  type CheckedSteps,
  FlowStepsInput,
  findTextProblems,
} from '../../../shared/domain/flows/checking/flow-steps.ts';

/** The real threads, for a tenant that only tests have. */
export const testSandbox = tenantSandbox('tests');

type Tail<T extends unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never;
export const runScript = (...given: Tail<Parameters<typeof scripts.evaluateScript>>) =>
  scripts.evaluateScript(testSandbox, ...given);
export const runExpression = (...given: Tail<Parameters<typeof scripts.evaluateExpression>>) =>
  scripts.evaluateExpression(testSandbox, ...given);

export const renderTemplate = (text: string, variables: Variables) =>
  createFiller(variables, testSandbox).render(text);
export const renderValue = (value: unknown, variables: Variables) =>
  createFiller(variables, testSandbox).renderValue(value);

const textStep = {
  template: (template: string) => ({ type: 'template', config: { template } }),
  expression: (condition: string) => ({ type: 'conditional', config: { condition } }),
  script: (script: string) => ({ type: 'transform-data', config: { script } }),
  typescript: (script: string) => ({ type: 'transform-data', config: { script, language: 'typescript' } }),
} satisfies Record<FlowText['kind'], (text: string) => object>;

/** What keeps a text from being saved, or nothing. */
export async function textProblem(kind: FlowText['kind'], text: string): Promise<string | undefined> {
  const [problem] = await findTextProblems(
    [{ name: 'step', ...textStep[kind](text) }],
    ['steps'],
    testSandbox,
  );
  return problem?.message;
}

/** Steps of a test, whose texts are known to parse. */
export function checkedSteps(steps: FlowStepInput[]): CheckedSteps {
  const parsed: readonly FlowStepInput[] = FlowStepsInput.parse(steps);
  return parsed as CheckedSteps;
}
