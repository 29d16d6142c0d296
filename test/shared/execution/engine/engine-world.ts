import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import type { FlowStepInput } from '../../../../shared/domain/flows/checking/flow-step.ts';
import { normaliseSteps } from '../../../../shared/domain/flows/checking/flow-steps.ts';
import type { FlowStep } from '../../../../shared/domain/flows/steps/step.ts';
import { checkedSteps } from '../../../support/flows/sandbox.ts';
import { fakeModel, promptText } from '../../../support/models/model-ports.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';

/** Ports by hand: a clock of its own, a model that says the prompt back, and nothing beyond. */
export function fakePorts(changes: Partial<Ports> = {}): Ports {
  let at = Date.parse('2026-01-01T00:00:00.000Z');
  return {
    ...emptyWorld,
    now: () => new Date(at++),
    model: fakeModel(({ messages }) => `answer to: ${promptText(messages.at(-1))}`),
    ...changes,
  };
}

/** Steps as they are stored, made as the API makes them, with ids that are told apart. */
export function flowSteps(...steps: FlowStepInput[]): FlowStep[] {
  let count = 0;
  return normaliseSteps(checkedSteps(steps), (prefix) => `${prefix}_${count++}`).map((step, index) => ({
    ...step,
    id: `step-${index}`,
  }));
}

const variable = (outputVariable: string | undefined) => outputVariable && { outputVariable };

export const renderStep = (text: string, outputVariable?: string): FlowStepInput => ({
  type: 'template',
  name: text,
  config: { template: text, ...variable(outputVariable) },
});

export const transform = (script: string, outputVariable?: string): FlowStepInput => ({
  type: 'transform-data',
  name: script,
  config: { script, ...variable(outputVariable) },
});

export const setVariable = (variableName: string, value: unknown): FlowStepInput => ({
  type: 'set-variable',
  name: variableName,
  config: { variableName, value },
});

export const prompt = (userPrompt: string, more: object = {}): FlowStepInput => ({
  type: 'prompt',
  name: userPrompt,
  config: { model: 'fake', userPrompt, ...more },
});
