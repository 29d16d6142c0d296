import { parseVector } from '../../adapters/vectors/vector.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { readPath } from '../../core/json/json.ts';
import { type VectorSearchConfig, vectorSearchStep } from '../../domain/flows/step-types/vector-search.ts';
import { defineActingRunner, type StepPlanning } from '../step-support/step-runner.ts';
import { embedStepTexts } from './generate-embedding.ts';
import { parseCollection } from './store-vector.ts';

export const vectorSearchRunner = defineActingRunner(vectorSearchStep, {
  async plan(step) {
    const { limit = 10, threshold, embeddingModel = '' } = step.config;
    const collection = parseCollection(await step.render(step.config.collection));
    const near = await toNear(step);
    const models = 'query' in near ? [embeddingModel] : [];
    return { request: { collection, near, limit, threshold }, models };
  },

  async perform({ collection, near, limit, threshold = Number.NEGATIVE_INFINITY }, step) {
    const vector = 'vector' in near ? near.vector : await embedQuery(near);
    const found = await step.ports.vectors.query(collection, vector, limit);
    return { output: found.filter(({ score }) => score >= threshold) };

    async function embedQuery({ query, embeddingModel }: { query: string; embeddingModel: string }) {
      return (await embedStepTexts(step, embeddingModel, [query])).vectors[0] ?? [];
    }
  },
});

async function toNear({ config, variables, render }: StepPlanning<VectorSearchConfig>) {
  const { query, vectorVariable = '', embeddingModel = '' } = config;
  if (query !== undefined) return { query: await render(query), embeddingModel };
  const value = readPath(variables, vectorVariable);
  if (value === undefined || value === null) throw new StepError(`The variable ${vectorVariable} is not set`);
  return { vector: parseVector(value, vectorVariable) };
}
