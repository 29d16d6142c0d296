import { type CheckedSteps, textProblems } from '../../shared/flows/analysis/text-problems.ts';
import * as scripts from '../../shared/flows/scripts.ts';
import type { Variables } from '../../shared/flows/step.ts';
import type { FlowStepInput } from '../../shared/flows/steps/flow-step.ts';
import { FlowStepsInput } from '../../shared/flows/steps/parse.ts';
import { fillerOf } from '../../shared/flows/templates.ts';
import { sandboxOf } from '../../shared/sandbox/sandbox.ts';
import type { FlowText } from '../../shared/sandbox/texts.ts';

/** The real threads, for a tenant that only tests have. */
export const sandbox = sandboxOf('tests');

type Tail<T extends unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never;
export const evaluateScript = (...given: Tail<Parameters<typeof scripts.evaluateScript>>) =>
  scripts.evaluateScript(sandbox, ...given);
export const evaluateExpression = (...given: Tail<Parameters<typeof scripts.evaluateExpression>>) =>
  scripts.evaluateExpression(sandbox, ...given);

export const renderTemplate = (text: string, variables: Variables) =>
  fillerOf(variables, sandbox).render(text);
export const renderValue = (value: unknown, variables: Variables) =>
  fillerOf(variables, sandbox).renderValue(value);

const textStep = {
  template: (template: string) => ({ type: 'template', config: { template } }),
  expression: (condition: string) => ({ type: 'conditional', config: { condition } }),
  script: (script: string) => ({ type: 'transform-data', config: { script } }),
  typescript: (script: string) => ({ type: 'transform-data', config: { script, language: 'typescript' } }),
} satisfies Record<FlowText['kind'], (text: string) => object>;

/** What keeps a text from being saved, or nothing. */
export async function problemOf(kind: FlowText['kind'], text: string): Promise<string | undefined> {
  const [problem] = await textProblems([{ name: 'step', ...textStep[kind](text) }], ['steps'], sandbox);
  return problem?.message;
}

/** Steps of a test, whose texts are known to parse. */
export function checkedSteps(steps: FlowStepInput[]): CheckedSteps {
  const parsed: readonly FlowStepInput[] = FlowStepsInput.parse(steps);
  return parsed as CheckedSteps;
}
