import type { RecordFilter } from '../core/filters/filter.ts';
import type { ModelPort } from './model-port.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

/** All that a running flow can touch of the world. The engine knows nothing else. */
export interface Ports {
  now: () => Date;
  /** The values of the secrets of these keys; those that have none are left out. */
  secrets: (keys: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  model: ModelPort;
  /** The vectors of some texts, in their order. @throws StepError. */
  embed: (request: EmbeddingRequest) => Promise<EmbeddingResponse>;
  /** One HTTP request through the egress guard. @throws StepError when refused, unreachable, too slow or too large. */
  fetch: (request: HttpRequest) => Promise<HttpResponse>;
  /** The deployment's account with a web search provider. @throws StepError when there is none. */
  searchAccount: (provider: SearchProvider) => Promise<{ key: string; baseUrl: string }>;
  /** Does work of the flow's making that takes CPU, in a thread. @throws SandboxError. */
  sandbox: Sandbox;
  records: RecordsPort;
  vectors: VectorsPort;
  assets: AssetsPort;
  messages: MessagesPort;
}

export interface EmbeddingRequest {
  /** As a model is named in a ModelRequest. */
  model: string;
  texts: string[];
  signal: AbortSignal;
}

export interface EmbeddingResponse {
  vectors: number[][];
  modelUsed: string;
  promptTokens: number;
  estimatedCost: string | null;
}

export interface HttpRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Record<string, string>;
  body?: string | undefined;
  timeoutMs: number;
  /** Whether the body may not follow a redirect to another origin. */
  sameOriginBody?: boolean | undefined;
  /** How much the answer may have; 5,000,000 without it. */
  bytesMax?: number | undefined;
  signal: AbortSignal;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  /** The address that answered, after redirects. */
  url: string;
  bytes: Uint8Array;
  /** The bytes, decoded by the charset that the answer names. */
  text: string;
}

export type SearchProvider = 'exa' | 'tavily' | 'brave';

/** What a flow sees of a record. */
export interface FlowRecord {
  id: string;
  type: string;
  name: string;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

/** Names one record: by its id, by its type and name, or as the first hit of a filter, latest change first. */
export type RecordSelector =
  | { id: string }
  | { type: string; name: string }
  | { type: string; filter?: RecordFilter | undefined };

export type MergeStrategy = 'merge' | 'replace' | 'deep-merge';

export interface RecordsPort {
  /** @returns undefined when there is none. @throws StepError when too many records had to be read. */
  find: (selector: RecordSelector) => Promise<FlowRecord | undefined>;
  /** Creates the record, or replaces the metadata of the one of that type and name. */
  upsert: (record: Pick<FlowRecord, 'type' | 'name' | 'metadata'>) => Promise<{ id: string }>;
  /** Changes the metadata; of two writers neither is lost. @returns the record after it, undefined when there is none. */
  update: (
    selector: RecordSelector,
    updates: Record<string, unknown>,
    strategy: MergeStrategy,
  ) => Promise<FlowRecord | undefined>;
}

export interface StoredVector {
  id: string;
  vector: number[];
  metadata: Record<string, unknown>;
}

/** The tenant's collections of vectors. */
export interface VectorsPort {
  /** Adds vectors, or replaces those of the same ids; makes the collection when it is not there. @throws StepError. */
  put: (collection: string, vectors: readonly StoredVector[]) => Promise<void>;
  /** The nearest ones, nearest first; `score` is the cosine similarity. @throws StepError. */
  query: (
    collection: string,
    vector: readonly number[],
    limit: number,
  ) => Promise<{ id: string; score: number; metadata: Record<string, unknown> }[]>;
}

export type Visibility = 'public' | 'private';

export interface AssetsPort {
  /** Keeps a file. A private one gets a signed address that expires. @throws StepError. */
  store: (file: {
    bytes: Uint8Array;
    filename: string;
    contentType: string;
    visibility: Visibility;
  }) => Promise<{ assetId: string; url: string; expiresAt: string | null }>;
}

export interface MessagesPort {
  /** @throws StepError, as the others do. */
  email: (message: {
    from: string;
    to: string[];
    subject: string;
    html?: string | undefined;
    text?: string | undefined;
  }) => Promise<{ messageId: string }>;
  sms: (message: {
    from?: string | undefined;
    to: string;
    message: string;
  }) => Promise<{ messageId: string }>;
  event: (event: { type: string; payload: unknown }) => Promise<{ eventId: string }>;
}
