import * as z from 'zod';
import { nameUpTo } from '../../name.ts';
import { valueAt } from '../json.ts';
import type { EmbeddingAnswer } from '../ports.ts';
import { defineStep, StepError, type StepOutcome, type StepRun } from '../step.ts';
import { Template } from '../templates.ts';
import { plainMembers, VariablePath } from './members.ts';

export const EmbeddingModelName = nameUpTo(255).meta({
  description: '`<provider>/<modelId>` such as openai/text-embedding-3-small, or a model id of the catalog',
});

const Config = z
  .strictObject({
    inputSource: z
      .enum(['text', 'variable'])
      .optional()
      .meta({ description: 'Says where the input comes from; without it, whichever is given' }),
    text: Template.min(1).optional(),
    inputVariable: VariablePath.optional().meta({
      description: 'Holds a text, or a list of up to 500. What is no text is embedded as its JSON',
    }),
    embeddingModel: EmbeddingModelName,
    ...plainMembers,
  })
  .superRefine(({ inputSource, text, inputVariable }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if ((text === undefined) === (inputVariable === undefined)) {
      refuse('text', 'Give either text or inputVariable');
    } else if (inputSource && (inputSource === 'text') !== (text !== undefined)) {
      refuse('inputSource', `Expected ${text === undefined ? 'variable' : 'text'}, since that is given`);
    }
  });

const Vector = z.array(z.number());

export const generateEmbeddingStep = defineStep({
  type: 'generate-embedding',
  summary: 'Make an embedding: the vector of a text, or those of a list of texts',
  config: Config,
  output: z.union([Vector, z.array(Vector)]),
  effects: true,
  takesSecrets: false,
  permission: null,
  async run(step) {
    const input = await inputOf(step);
    const answer = await embedded(step, step.config.embeddingModel, Array.isArray(input) ? input : [input]);
    return { output: Array.isArray(input) ? answer.vectors : (answer.vectors[0] ?? []), ...usedBy(answer) };
  },
});

async function inputOf({
  config,
  variables,
  render,
}: StepRun<z.infer<typeof Config>>): Promise<string | string[]> {
  const { text, inputVariable = '' } = config;
  if (text !== undefined) return render(text);
  const value = valueAt(variables, inputVariable);
  if (value === undefined || value === null) throw new StepError(`The variable ${inputVariable} is not set`);
  return Array.isArray(value) ? value.map(asText) : asText(value);
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const timeoutMs = 120_000;

/** Has a step's texts embedded. @throws StepError */
export const embedded = (
  { ports, signal }: Pick<StepRun<unknown>, 'ports' | 'signal'>,
  model: string,
  texts: string[],
) => ports.embed({ model, texts, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });

/** What a step's result tells of an embedding call. */
export const usedBy = ({
  modelUsed,
  promptTokens,
  estimatedCost,
}: EmbeddingAnswer): Omit<StepOutcome, 'output'> => ({
  modelUsed,
  promptTokens,
  completionTokens: 0,
  estimatedCost,
});
