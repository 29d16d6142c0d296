import * as z from 'zod';
import { vectorFrom } from '../../vectors/vector.ts';
import { valueAt } from '../json.ts';
import { defineStep, StepError, type StepOutcome, type StepRun } from '../step.ts';
import { Template } from '../templates.ts';
import { EmbeddingModelName, embedded, usedBy } from './generate-embedding.ts';
import { plainMembers, VariablePath } from './members.ts';
import { CollectionName, collectionFrom } from './store-vector.ts';

const Config = z
  .strictObject({
    collection: CollectionName,
    query: Template.min(1).optional().meta({ description: 'A text, which is embedded and then looked for' }),
    vectorVariable: VariablePath.optional().meta({ description: 'Holds the vector to look for' }),
    embeddingModel: EmbeddingModelName.optional().meta({
      description: 'The one that made the collection’s vectors; goes with query',
    }),
    limit: z.int().min(1).max(100).optional().meta({ description: '10 without it' }),
    threshold: z.number().min(-1).max(1).optional().meta({
      description: 'The lowest score that counts: cosine similarity, 1 for the same direction',
    }),
    ...plainMembers,
  })
  .superRefine(({ query, vectorVariable, embeddingModel }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if ((query === undefined) === (vectorVariable === undefined)) {
      refuse('query', 'Give either query or vectorVariable');
    } else if (query !== undefined && embeddingModel === undefined) {
      refuse('embeddingModel', 'Required: expected the model that embeds the query');
    } else if (vectorVariable !== undefined && embeddingModel !== undefined) {
      refuse('embeddingModel', 'Goes with query; vectorVariable is a vector already');
    }
  });
type Config = z.infer<typeof Config>;

export const vectorSearchStep = defineStep({
  type: 'vector-search',
  summary: 'Find the nearest vectors of a collection, nearest first',
  config: Config,
  output: z.array(
    z.object({ id: z.string(), score: z.number(), metadata: z.record(z.string(), z.unknown()) }),
  ),
  effects: true,
  takesSecrets: false,
  permission: 'RECORDS:READ',
  async run(step) {
    const { limit = 10, threshold = Number.NEGATIVE_INFINITY } = step.config;
    const collection = collectionFrom(await step.render(step.config.collection));
    const { vector, ...used } = await wanted(step);
    const found = await step.ports.vectors.query(collection, vector, limit);
    return { output: found.filter(({ score }) => score >= threshold), ...used };
  },
});

/** The vector to look for, and what it cost to make it. */
async function wanted(step: StepRun<Config>): Promise<{ vector: number[] } & Omit<StepOutcome, 'output'>> {
  const { query, vectorVariable = '', embeddingModel = '' } = step.config;
  if (query !== undefined) {
    const answer = await embedded(step, embeddingModel, [await step.render(query)]);
    return { vector: answer.vectors[0] ?? [], ...usedBy(answer) };
  }
  const value = valueAt(step.variables, vectorVariable);
  if (value === undefined || value === null) throw new StepError(`The variable ${vectorVariable} is not set`);
  return { vector: vectorFrom(value, vectorVariable) };
}
