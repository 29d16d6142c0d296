import * as z from 'zod';
import { commonConfig, VariablePath } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';
import { EmbeddingModelName } from './generate-embedding.ts';
import { CollectionName } from './store-vector.ts';

export const VectorSearchConfig = z
  .strictObject({
    collection: CollectionName,
    query: Template.min(1).optional().meta({ description: 'A text to embed and search for' }),
    vectorVariable: VariablePath.optional().meta({
      description: 'Names a variable with the vector to search for',
    }),
    embeddingModel: EmbeddingModelName.optional().meta({
      description: 'The model that created the collection’s vectors; requires query',
    }),
    limit: z.int().min(1).max(100).optional().meta({ description: 'Default: 10' }),
    threshold: z.number().min(-1).max(1).optional().meta({
      description: 'The minimum score: cosine similarity, 1 for the same direction',
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
      refuse('embeddingModel', 'Give embeddingModel only with query; vectorVariable already names a vector');
    }
  });
export type VectorSearchConfig = z.infer<typeof VectorSearchConfig>;

export const vectorSearchStep = defineStepType({
  type: 'vector-search',
  summary: 'Find the nearest vectors in a collection, nearest first',
  config: VectorSearchConfig,
  output: z.array(
    z.object({ id: z.string(), score: z.number(), metadata: z.record(z.string(), z.unknown()) }),
  ),
  effects: true,
  reusable: false,
  takesSecrets: false,
  callsModels: true,
  permission: 'RECORDS:READ',
});
