import { vectorFrom } from '../../adapters/vectors/vector.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { valueAt } from '../../core/json/json.ts';
import { type Config, vectorSearchStep } from '../../domain/flows/step-types/vector-search.ts';
import { defineStepRunner, type StepRun } from '../step-support/step-runner.ts';
import { embedded } from './generate-embedding.ts';
import { collectionFrom } from './store-vector.ts';

export const vectorSearch = defineStepRunner(vectorSearchStep, {
  async run(step) {
    const { limit = 10, threshold = Number.NEGATIVE_INFINITY } = step.config;
    const collection = collectionFrom(await step.render(step.config.collection));
    const found = await step.ports.vectors.query(collection, await vectorOf(step), limit);
    return { output: found.filter(({ score }) => score >= threshold) };
  },
});

async function vectorOf(step: StepRun<Config>): Promise<number[]> {
  const { query, vectorVariable = '', embeddingModel = '' } = step.config;
  if (query !== undefined) {
    const answer = await embedded(step, embeddingModel, [await step.render(query)]);
    return answer.vectors[0] ?? [];
  }
  const value = valueAt(step.variables, vectorVariable);
  if (value === undefined || value === null) throw new StepError(`The variable ${vectorVariable} is not set`);
  return vectorFrom(value, vectorVariable);
}
