/**
 * What the package of model data does not say. `npm run catalog` applies it; see D123.
 */
export const source = { name: '@earendil-works/pi-ai', version: '1.5.2' };

/** The file of each provider in the package. */
export const providerFiles = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  bedrock: 'amazon-bedrock',
  xai: 'xai',
  groq: 'groq',
  togetherai: 'together',
  mistral: 'mistral',
} as const;

/** Base models whose names differ between providers: the name that each goes by here. */
export const sameModel: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-oss-\d+b)-1$/, '$1'],
  [/^(gemma-4-.*)-it$/, '$1'],
  [/^(?:zai-)?glm-(\d)-(\d)/, 'glm-$1.$2'],
  [/^llama-?(\d)[-.](\d)-(\d+b)-(?:instruct|instant|versatile)$/, 'llama-$1.$2-$3'],
  [/^llama4-(.*)-instruct$/, 'llama-4-$1'],
  [/^v(3.*)$/, 'deepseek-v$1'],
  [/^deepseek-v4-1-flash-\d{4}$/, 'deepseek-v4.1-flash'],
  [/^nvidia-(nemotron.*)$/, '$1'],
];

/** Who made a model, by the beginning of its name. */
export const creators: Readonly<Record<string, RegExp>> = {
  openai: /^(gpt-|o\d|chat-latest|text-embedding-(?:3|ada))/,
  anthropic: /^claude-/,
  google: /^(gemini-|gemma-|deep-research-)/,
  xai: /^grok-/,
  mistral:
    /^(mistral-|ministral-|magistral-|codestral-|devstral-|pixtral-|voxtral-|open-mistral|labs-(?:dev|lean)stral)/,
  meta: /^(llama-|muse-)/,
  amazon: /^(nova-|titan-)/,
  alibaba: /^qwen/,
  deepseek: /^deepseek-/,
  moonshot: /^kimi-/,
  minimax: /^minimax-/,
  nvidia: /^nemotron-/,
  zai: /^glm-/,
  writer: /^palmyra-/,
  cohere: /^embed-/,
  thinkingmachines: /^inkling/,
  reflection: /^beam-/,
};

/** Models that lists show only on request: previews, aliases that move, and models for one purpose. */
export const hidden =
  /preview|-latest$|latest-|customtools|computer-use|robotics|deep-research|safeguard|cyber|daybreak|^labs-/;

/** Models without function calling, although the package lists only models that have it. */
export const withoutTools = /deep-research|^gpt-5-chat|^chat-latest$/;

/** The first match is the category of a model. */
export const categories: readonly (readonly [RegExp, string])[] = [
  [/embed/, 'embedding'],
  [/codex|codestral|devstral|coder|code$/, 'coding'],
  [/-mini|nano|lite|flash|haiku|luna|small|micro|ministral|\b[12]?\db\b|e2b|nemo$/, 'fast'],
  [/opus|fable|-pro\b|ultra|premier|-max|-large|astra|argon|maverick/, 'flagship'],
];

/**
 * The length in tokens from which Anthropic and Bedrock cache what a request marks, by the beginning of a name; the first
 * match counts. From https://platform.claude.com/docs/en/build-with-claude/prompt-caching, "Cache limitations".
 */
export const cacheTokensMin: readonly (readonly [RegExp, number])[] = [
  [/^claude-(?:opus-4-[56]|haiku-4-5)/, 4_096],
  [/^claude-opus-4-7/, 2_048],
  [/^claude-(?:fable-5|opus-5|sonnet-5-5|haiku-5-5)/, 512],
  [/^claude-(?:opus-4|sonnet-[45])/, 1_024],
];

/** The models that a user probably looks for, the first one first. They are tagged `popular`. */
export const popular: readonly string[] = [
  'claude-sonnet-5-5',
  'gpt-6.1-terra',
  'gemini-3.8-flash',
  'claude-opus-5-5',
  'gpt-6.1-sol',
  'claude-haiku-5-5',
  'gpt-6-luna',
  'gemini-4-argon',
  'grok-4.7',
  'mistral-large-4',
  'gpt-oss-120b',
  'nova-2-lite',
  'gpt-4.1-mini',
  'text-embedding-3-small',
];

/** Models that the package does not list, with prices in USD per million tokens from the providers' price lists. */
export const ownModels = [
  embedding('openai', 'text-embedding-3-small', 'text-embedding-3-small', 8_192, '0.02'),
  embedding('openai', 'text-embedding-3-large', 'text-embedding-3-large', 8_192, '0.13'),
  embedding('openai', 'text-embedding-ada-002', 'text-embedding-ada-002', 8_192, '0.1'),
  embedding('google', 'gemini-embedding-001', 'Gemini Embedding', 2_048, '0.15'),
  embedding('mistral', 'mistral-embed', 'Mistral Embed', 8_192, '0.1'),
  embedding('bedrock', 'amazon.titan-embed-text-v2:0', 'Titan Text Embeddings V2', 8_192, '0.02'),
  embedding('bedrock', 'cohere.embed-multilingual-v3', 'Cohere Embed Multilingual', 512, '0.1'),
];

function embedding(
  provider: keyof typeof providerFiles,
  id: string,
  name: string,
  context: number,
  input: string,
) {
  return { provider, id, name, context, input };
}
