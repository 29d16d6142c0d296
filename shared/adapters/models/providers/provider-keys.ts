import * as z from 'zod';
import { log } from '../../../core/log.ts';

const text = z.string().optional();

const DeploymentKeys = z.object({
  OPENAI_API_KEY: text,
  OPENAI_BASE_URL: text,
  ANTHROPIC_API_KEY: text,
  ANTHROPIC_BASE_URL: text,
  GOOGLE_GENERATIVE_AI_API_KEY: text,
  GOOGLE_GENERATIVE_AI_BASE_URL: text,
  AWS_BEARER_TOKEN_BEDROCK: text,
  AWS_ENDPOINT_URL_BEDROCK_RUNTIME: text,
  BEDROCK_REGION: text,
  XAI_API_KEY: text,
  XAI_BASE_URL: text,
  GROQ_API_KEY: text,
  GROQ_BASE_URL: text,
  TOGETHER_API_KEY: text,
  TOGETHER_BASE_URL: text,
  MISTRAL_API_KEY: text,
  MISTRAL_BASE_URL: text,
  GENERIC_OPENAI_API_KEY: text,
  GENERIC_OPENAI_BASE_URL: text,
  GENERIC_OPENAI_EMBEDDING_MODEL: text,
  EXA_API_KEY: text,
  EXA_BASE_URL: text,
  TAVILY_API_KEY: text,
  TAVILY_BASE_URL: text,
  BRAVE_API_KEY: text,
  BRAVE_BASE_URL: text,
  OTEL_EXPORTER_OTLP_HEADERS: text,
});

/** The keys and URLs of the model providers, named as in the AI SDK, and of the search providers; the headers for the deployment's collector. */
export type DeploymentKeys = z.infer<typeof DeploymentKeys>;

/** A process on an instance lives for days, and must notice a changed key. */
const keptMs = 15 * 60_000;
let fromSecret: { at: number; keys: Promise<DeploymentKeys> } | undefined;

/** Reads the environment, and the secret that PROVIDER_KEYS_SECRET names, once in a quarter of an hour. */
export async function providerKeys(): Promise<DeploymentKeys> {
  const secretId = process.env.PROVIDER_KEYS_SECRET;
  if (!secretId) return DeploymentKeys.parse(process.env);
  if (!fromSecret || performance.now() - fromSecret.at > keptMs)
    fromSecret = { at: performance.now(), keys: readAgain(secretId, fromSecret?.keys) };
  return { ...DeploymentKeys.parse(process.env), ...(await fromSecret.keys) };
}

/** If it cannot be read again, what was read before remains for another quarter. */
const readAgain = (secretId: string, before: Promise<DeploymentKeys> | undefined) =>
  readSecret(secretId).catch((error) => {
    if (before) {
      log.warn('The secret with the keys of the model providers could not be read again', { error });
      return before;
    }
    fromSecret = undefined;
    throw error;
  });

async function readSecret(secretId: string): Promise<DeploymentKeys> {
  const { readSecretText } = await import('./provider-secret.ts');
  return DeploymentKeys.parse(JSON.parse(await readSecretText(secretId)));
}
