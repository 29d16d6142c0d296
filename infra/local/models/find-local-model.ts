import * as z from 'zod';
import { deploymentCredentials } from '../../../shared/adapters/models/providers/credentials.ts';
import type { DeploymentKeys } from '../../../shared/adapters/models/providers/provider-keys.ts';
import { providerNames } from '../../../shared/adapters/models/providers/provider-names.ts';
import { StartError } from '../runtime/start-error.ts';
import { startStandIn } from './stand-in.ts';

/** A model on this machine that speaks OpenAI's protocol. */
export interface LocalModel {
  modelId: string;
  displayName: string;
  /** With `/v1`. */
  baseUrl: string;
  close: () => Promise<void>;
}

const Tags = z.object({
  models: z.array(
    z.object({ name: z.string(), details: z.object({ family: z.string() }).partial().optional() }),
  ),
});

const choices = ['auto', 'stand-in', 'off'];
const ollamaTimeoutMs = 1_000;

/**
 * A model for a stack without a provider: the newest one of an Ollama on this machine, else the stand-in. None if the
 * deployment has a provider, or if LOCAL_MODEL is `off`.
 */
export async function findLocalModel(
  env: NodeJS.ProcessEnv,
  keys: DeploymentKeys,
): Promise<LocalModel | undefined> {
  const choice = env.LOCAL_MODEL || 'auto';
  if (!choices.includes(choice))
    throw new StartError(`LOCAL_MODEL must be one of ${choices.join(', ')}, but is "${choice}".`);
  if (choice === 'off' || hasProvider(keys)) return undefined;
  const ollama =
    choice === 'auto' ? await ollamaModel(env.OLLAMA_BASE_URL || 'http://127.0.0.1:11434') : undefined;
  return ollama ?? startStandIn();
}

const hasProvider = (keys: DeploymentKeys) =>
  providerNames.some((name) => deploymentCredentials(name, keys) !== undefined);

/** Undefined if nothing answers there, or if it has only models for embeddings. */
async function ollamaModel(address: string): Promise<LocalModel | undefined> {
  const url = address.replace(/\/+$/, '');
  try {
    const response = await fetch(`${url}/api/tags`, { signal: AbortSignal.timeout(ollamaTimeoutMs) });
    const { models } = Tags.parse(await response.json());
    const found = models.find(
      ({ name, details }) => !/embed/.test(name) && !/bert/.test(details?.family ?? ''),
    );
    if (!found) return undefined;
    const displayName = `${found.name} (Ollama)`;
    return { modelId: found.name, displayName, baseUrl: `${url}/v1`, close: async () => {} };
  } catch {
    return undefined;
  }
}
