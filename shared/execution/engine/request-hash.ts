import { createHash } from 'node:crypto';
import type { Ports } from '../../adapters/ports/ports.ts';
import { sortedJson } from '../../core/json/sorted-json.ts';
import type { ErrorHandling } from '../../domain/flows/steps/error-handling.ts';
import type { StepPlan } from '../step-support/step-runner.ts';

/** Part of each hash. Raise it with a change after which equal plans do something else. */
const hashVersion = 1;
const hashBytes = 12;

/**
 * What a plan asks for, in 16 characters: equal for plans that do the same, in every release. It includes what names mean
 * now: models with their settings, agents with their versions.
 */
export async function requestHash(
  type: string,
  { request, models = [], agents = [] }: StepPlan<unknown>,
  ports: Pick<Ports, 'model' | 'agents'>,
): Promise<string> {
  const meanings = await Promise.all([
    ...models.map((name) => ports.model.identity(name)),
    ...agents.map((id) => ports.agents.versionOf(id)),
  ]);
  return hashOfJson([hashVersion, type, meanings, withoutNames(request, models)]);
}

/** Of a result that the fallbacks of a step gave for a request: other fallbacks would give another. */
export const hashOfFallback = (hash: string, policy: ErrorHandling) => hashOfJson([hash, policy]);

const hashOfJson = (content: unknown) =>
  createHash('sha256').update(sortedJson(content)).digest().subarray(0, hashBytes).toString('base64url');

/** The name of a model says nothing beside its meaning: `default` may mean what a config's id means. */
const withoutNames = (request: unknown, models: readonly string[]) =>
  models.length > 0 ? { ...(request as object), model: undefined, embeddingModel: undefined } : request;
