/** All that a running flow can touch of the world. The engine knows nothing else. */
export interface Ports {
  now: () => Date;
  /** One call of a language model. @throws StepError. */
  model: (request: ModelRequest) => Promise<ModelAnswer>;
  /** One HTTP request through the egress guard. @throws StepError when refused, unreachable, too slow or too large. */
  fetch: (request: HttpRequest) => Promise<HttpAnswer>;
  records: {
    /** Creates the record, or replaces the metadata of the one of that type and name. */
    upsert: (record: {
      type: string;
      name: string;
      metadata: Record<string, unknown>;
    }) => Promise<{ id: string }>;
  };
}

export interface ModelRequest {
  /** `<provider>/<modelId>`, or a model id of the catalog. */
  model: string;
  system?: string | undefined;
  messages: { role: 'user' | 'assistant'; content: string }[];
  /** `json` asks the provider for JSON where it can promise that. */
  format: 'text' | 'json';
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  seed?: number | undefined;
  signal: AbortSignal;
}

export interface ModelAnswer {
  text: string;
  modelUsed: string;
  promptTokens: number;
  completionTokens: number;
  /** USD, as decimal text; null where the catalog has no price. */
  estimatedCost: string | null;
}

export interface HttpRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Record<string, string>;
  body?: string | undefined;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  /** The address that answered, after redirects. */
  url: string;
  text: string;
}
