import type { ModelPrice } from './cost.ts';

/** The providers whose models the catalog lists. A generic server may have any model. */
export type ListedProvider =
  | 'openai'
  | 'anthropic'
  | 'google'
  | 'bedrock'
  | 'xai'
  | 'groq'
  | 'togetherai'
  | 'mistral';

export interface BaseModel {
  id: string;
  name: string;
  creator: string;
  category: 'flagship' | 'general' | 'fast' | 'coding' | 'embedding';
  tags: string[];
  /** A smaller number stands earlier in lists. */
  priority?: number;
  /** The length in tokens from which its providers cache what a request marks. Absent if they take no marks. */
  cacheTokensMin?: number;
}

export interface ModelOffer {
  base: string;
  provider: ListedProvider;
  /** The provider's name of the model, as sent to it. */
  id: string;
  name: string;
  /** In tokens: input and output together. */
  context: number;
  /** In tokens; 0 for embeddings. */
  maxOutput: number;
  reasoning?: true;
  vision?: true;
  tools?: true;
  /** Lists show it only on request. */
  hidden?: true;
  price: ModelPrice;
}

export interface CatalogData {
  /** The package and version of its data. */
  source: string;
  models: readonly BaseModel[];
  offers: readonly ModelOffer[];
}
