import * as z from 'zod';

const ProviderKeys = z.object({
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.string().optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: z.string().optional(),
  GOOGLE_GENERATIVE_AI_API_KEY: z.string().optional(),
  GENERIC_OPENAI_BASE_URL: z.string().optional(),
  GENERIC_OPENAI_API_KEY: z.string().optional(),
  EXA_API_KEY: z.string().optional(),
  EXA_BASE_URL: z.string().optional(),
  TAVILY_API_KEY: z.string().optional(),
  TAVILY_BASE_URL: z.string().optional(),
  BRAVE_API_KEY: z.string().optional(),
  BRAVE_BASE_URL: z.string().optional(),
});

/** The keys and URLs of the model providers, named as in the AI SDK, and of the search providers. */
export type ProviderKeys = z.infer<typeof ProviderKeys>;

let fromSecret: Promise<ProviderKeys> | undefined;

/** Reads the environment, and the secret that PROVIDER_KEYS_SECRET names, once. */
export async function providerKeys(): Promise<ProviderKeys> {
  const secretId = process.env.PROVIDER_KEYS_SECRET;
  if (!secretId) return ProviderKeys.parse(process.env);
  fromSecret ??= readSecret(secretId).catch((error) => {
    fromSecret = undefined;
    throw error;
  });
  return { ...ProviderKeys.parse(process.env), ...(await fromSecret) };
}

async function readSecret(secretId: string): Promise<ProviderKeys> {
  const { readSecretText } = await import('./provider-secret.ts');
  return ProviderKeys.parse(JSON.parse(await readSecretText(secretId)));
}
