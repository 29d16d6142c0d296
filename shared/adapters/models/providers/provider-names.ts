/** The model providers with their names for people. Loads no SDK, unlike `providers.ts`. */
export const providerTitles = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  bedrock: 'Amazon Bedrock',
  xai: 'xAI',
  groq: 'Groq',
  togetherai: 'Together AI',
  mistral: 'Mistral AI',
  'generic-openai': 'OpenAI-compatible server',
} as const;

export type ProviderName = keyof typeof providerTitles;
export const providerNames = Object.keys(providerTitles) as ProviderName[];

export const isProviderName = (name: string): name is ProviderName => Object.hasOwn(providerTitles, name);
