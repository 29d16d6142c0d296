import type * as z from 'zod';
import { StepError } from '../../core/errors/step-error.ts';
import { readPath } from '../../core/json/json.ts';
import {
  type GenerateEmbeddingConfig,
  generateEmbeddingStep,
} from '../../domain/flows/step-types/generate-embedding.ts';
import { defineActingRunner, type StepPerforming, type StepPlanning } from '../step-support/step-runner.ts';

export const generateEmbeddingRunner = defineActingRunner(generateEmbeddingStep, {
  async plan(step) {
    const { embeddingModel } = step.config;
    return { request: { input: await toInput(step), embeddingModel }, models: [embeddingModel] };
  },

  async perform({ input, embeddingModel }, step) {
    const answer = await embedStepTexts(step, embeddingModel, Array.isArray(input) ? input : [input]);
    return { output: Array.isArray(input) ? answer.vectors : (answer.vectors[0] ?? []) };
  },
});

async function toInput({
  config,
  variables,
  render,
}: StepPlanning<z.infer<typeof GenerateEmbeddingConfig>>): Promise<string | string[]> {
  const { text, inputVariable = '' } = config;
  if (text !== undefined) return render(text);
  const value = readPath(variables, inputVariable);
  if (value === undefined || value === null) throw new StepError(`The variable ${inputVariable} is not set`);
  return Array.isArray(value) ? value.map(toText) : toText(value);
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const timeoutMs = 120_000;

/** Embeds the texts of a step. @throws StepError */
export const embedStepTexts = (
  { ports, signal }: Pick<StepPerforming<unknown>, 'ports' | 'signal'>,
  model: string,
  texts: string[],
) => ports.embed({ model, texts, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });
