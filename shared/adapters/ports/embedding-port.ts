import type { CallerWait, ModelFinish } from './model-port.ts';
import type { Payer } from './payer.ts';

export interface EmbeddingRequest {
  /** As in a ModelRequest. */
  model: string;
  texts: string[];
  /** The length of the vectors. Default: that of the model config, else of the model. */
  dimensions?: number | undefined;
  payers?: readonly Payer[] | undefined;
  wait?: CallerWait | undefined;
  signal: AbortSignal;
}

export interface EmbeddingResponse
  extends Pick<ModelFinish, 'modelUsed' | 'keySource' | 'configId' | 'providerKeyId'> {
  vectors: number[][];
  promptTokens: number;
  estimatedCost: string | null;
}
