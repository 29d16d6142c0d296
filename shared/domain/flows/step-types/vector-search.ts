import * as z from 'zod';
import { commonConfig, VariablePath } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';
import { EmbeddingModelName } from './generate-embedding.ts';
import { CollectionName } from './store-vector.ts';

export const Config = z
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
    ...commonConfig,
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
export type Config = z.infer<typeof Config>;

export const vectorSearchStep = defineStepType({
  type: 'vector-search',
  summary: 'Find the nearest vectors of a collection, nearest first',
  config: Config,
  output: z.array(
    z.object({ id: z.string(), score: z.number(), metadata: z.record(z.string(), z.unknown()) }),
  ),
  effects: true,
  takesSecrets: false,
  permission: 'RECORDS:READ',
});
