import type { RecordFilter } from '../core/filters/filter.ts';
import type { MemoryPort } from './memory-port.ts';
import type { JsonSchema, ModelFinish, ModelPort } from './model-port.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

/** Everything outside of a run that the engine can use. */
export interface Ports {
  now: () => Date;
  /** The values of the secrets with these keys; omits those without a value. */
  secrets: (keys: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  model: ModelPort;
  /** The vectors of texts, in order. @throws StepError. */
  embed: (request: EmbeddingRequest) => Promise<EmbeddingResponse>;
  /**
   * Sends an HTTP request through the egress guard. @throws StepError if it is rejected, unreachable, too slow or too
   * large.
   */
  fetch: (request: HttpRequest) => Promise<HttpResponse>;
  /** The deployment's account with a web search provider. @throws StepError if there is none. */
  searchAccount: (provider: SearchProvider) => Promise<{ key: string; baseUrl: string }>;
  /** Runs CPU-heavy work for the flow in a thread. @throws SandboxError. */
  sandbox: Sandbox;
  records: RecordsPort;
  vectors: VectorsPort;
  memory: MemoryPort;
  assets: AssetsPort;
  messages: MessagesPort;
  tools: ToolsPort;
  mcp: McpPort;
  a2a: A2aPort;
  flows: FlowsPort;
  agents: AgentsPort;
}

export interface EmbeddingRequest {
  /** As in a ModelRequest. */
  model: string;
  texts: string[];
  signal: AbortSignal;
}

export interface EmbeddingResponse
  extends Pick<ModelFinish, 'modelUsed' | 'keySource' | 'configId' | 'providerKeyId'> {
  vectors: number[][];
  promptTokens: number;
  estimatedCost: string | null;
}

export interface HttpRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Record<string, string>;
  body?: string | undefined;
  timeoutMs: number;
  /** Whether a redirect to another origin must not receive the body. */
  sameOriginBody?: boolean | undefined;
  /** The maximum size of the response. Default: 5,000,000. */
  bytesMax?: number | undefined;
  signal: AbortSignal;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  /** The URL of the response, after redirects. */
  url: string;
  bytes: Uint8Array;
  /** The bytes, decoded by the response's charset. */
  text: string;
}

export type SearchProvider = 'exa' | 'tavily' | 'brave';

/** The fields of a record that flows see. */
export interface FlowRecord {
  id: string;
  type: string;
  name: string;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

/** Selects one record: by id, by type and name, or the most recently changed match of a filter. */
export type RecordSelector =
  | { id: string }
  | { type: string; name: string }
  | { type: string; filter?: RecordFilter | undefined };

export type MergeStrategy = 'merge' | 'replace' | 'deep-merge';

export interface RecordsPort {
  /** @returns undefined if there is none. @throws StepError if too many records would have to be read. */
  find: (selector: RecordSelector) => Promise<FlowRecord | undefined>;
  /** The newest matching records. Reads a bounded number: `hasMore` if it did not reach the end. @throws StepError. */
  search: (query: {
    type: string;
    name?: string | undefined;
    search?: string | undefined;
    where?: RecordFilter | undefined;
    limit: number;
  }) => Promise<{ records: FlowRecord[]; hasMore: boolean }>;
  /** Creates the record, or replaces the metadata of the record with that type and name. */
  upsert: (record: Pick<FlowRecord, 'type' | 'name' | 'metadata'>) => Promise<{ id: string }>;
  /**
   * Changes the metadata. Keeps the changes of concurrent writers. @returns the record afterwards, undefined if there
   * is none.
   */
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

/** The tenant's vector collections. */
export interface VectorsPort {
  /**
   * Adds vectors, or replaces those with the same ids. Creates the collection if it does not exist. @throws StepError.
   */
  put: (collection: string, vectors: readonly StoredVector[]) => Promise<void>;
  /** The nearest vectors, nearest first. `score` is the cosine similarity. @throws StepError. */
  query: (
    collection: string,
    vector: readonly number[],
    limit: number,
  ) => Promise<{ id: string; score: number; metadata: Record<string, unknown> }[]>;
}

export type Visibility = 'public' | 'private';

export interface AssetsPort {
  /** Stores a file. A private one gets a signed URL that expires. @throws StepError. */
  store: (file: {
    bytes: Uint8Array;
    filename: string;
    contentType: string;
    visibility: Visibility;
  }) => Promise<{ assetId: string; url: string; expiresAt: string | null }>;
  /** Reads a file of the tenant by the URL that `store` returned, expired or not; undefined for other URLs. */
  read: (url: string) => Promise<{ bytes: Uint8Array; contentType: string } | undefined>;
}

export interface MessagesPort {
  /** @throws StepError, like the others. */
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

/** A tool as its author defined it. */
export interface ToolDefinition {
  name: string;
  description: string;
  toolType: string;
  parametersSchema: JsonSchema;
  config: Record<string, unknown>;
}

export interface StoredTool extends ToolDefinition {
  id: string;
  isActive: boolean;
}

/** The tenant's tools. */
export interface ToolsPort {
  /** By id; without those that do not exist. */
  find: (ids: readonly string[]) => Promise<ReadonlyMap<string, StoredTool>>;
}

/** Servers of the Model Context Protocol. */
export interface McpPort {
  /**
   * The tools of the server; those that were listed up to five minutes ago. @throws StepError if it is rejected,
   * unreachable, too slow or too large.
   */
  listTools: (request: McpRequest) => Promise<McpToolList | McpFailure>;
  /** Calls a tool of the server. @throws StepError if it is rejected, unreachable, too slow or too large. */
  callTool: (call: McpRequest & { toolName: string; args: Record<string, unknown> }) => Promise<McpOutcome>;
}

export interface McpRequest extends Pick<HttpRequest, 'url' | 'headers' | 'timeoutMs' | 'signal'> {
  /**
   * Default: `streamable_http`, the transport of the protocol. `rest`: plain JSON, `GET <url>/tools` and
   * `POST <url>/tools/<name>`.
   */
  transport?: 'streamable_http' | 'rest' | undefined;
  /** The MCP connection whose token authorizes the request. */
  connectionId?: string | undefined;
}

export interface McpTool {
  name: string;
  description: string;
  parameters: JsonSchema;
  /** Whether the server says that the tool changes nothing, or that a repeated call changes nothing more. */
  repeatable: boolean;
}

export interface McpToolList {
  tools: McpTool[];
  /** How many tools are left out, since there are too many or their schemas are too large. */
  omitted: number;
  /** Those that the protocol forbids to call, and why. */
  invalid?: { name: string; problem: string }[];
}

/** The tool failed, or the server refused, with an HTTP status if it is 400 or above. */
export interface McpFailure {
  failure: string;
  status?: number | undefined;
  /** The header WWW-Authenticate of a 401 or 403. */
  challenge?: string | undefined;
}

/**
 * What a server answered. Its texts are uncut, so that whoever shows them can redact them first.
 * `missing`: the server does not have the tool, but those with these names.
 */
export type McpOutcome = { output: unknown } | McpFailure | { missing: string[] };

/** The tenant's agents. */
export interface AgentsPort {
  /**
   * Runs an agent to its end, as an execution of its own inside of the current run. @throws StepError if it cannot be
   * run.
   */
  run: (request: AgentRequest) => Promise<AgentOutcome>;
}

export interface AgentRequest {
  /** A stored agent by its id, or one that exists for this run only. */
  agent: string | InlineAgentRequest;
  message: string;
  /** Of the call. An interrupted run goes on when the same call is made again. */
  callId?: string | undefined;
  timeoutMs?: number | undefined;
  signal: AbortSignal;
  /** Receives the texts of the agent as they come. */
  onText?: ((delta: string) => void) | undefined;
}

export interface InlineAgentRequest {
  name: string;
  config: Record<string, unknown>;
  system?: string | undefined;
  /** The tools of the calling agent that the pools of this one may name, with the values of credentials: never stored. */
  inherited: { runtimeTools: readonly object[]; mcpServers: readonly object[] };
}

export interface AgentOutcome {
  executionId: string;
  output: unknown;
  /** Why the run failed; null if it did not. */
  error: string | null;
  /** What the run cost. It has counted that itself. `cost`: USD as decimal text; null if it is not known. */
  spent: { inputTokens: number; outputTokens: number; cost: string | null };
}

/** The tenant's flows. */
export interface FlowsPort {
  /**
   * Runs the published version inside of the current run, with its ports. @throws StepError if there is none, it fails,
   * it has to wait for long, or flows run each other too deeply.
   */
  run: (request: {
    flowId: string;
    inputs: Record<string, unknown>;
    ports: Ports;
    signal: AbortSignal;
  }) => Promise<{ output: unknown }>;
}

/** Agents of other servers, by the A2A protocol. */
export interface A2aPort {
  /**
   * Sends a message to an agent. Yields what the agent does, and `end` or `failure` last. Leaving the loop cancels the
   * agent's task. @throws StepError if the agent is rejected, unreachable, too slow or sends too much.
   */
  send: (request: A2aRequest) => AsyncIterable<A2aEvent>;
}

/** Where an agent is reached, and how. */
export interface A2aAgent {
  url: string;
  /** Default: `JSONRPC`. */
  protocolBinding?: string | undefined;
  /** If it is unknown, 1.0 and then 0.3 are tried. */
  protocolVersion?: string | undefined;
  /** Whether the agent can stream. Default: false. */
  streaming?: boolean | undefined;
}

export interface A2aRequest {
  agent: A2aAgent;
  headers: Record<string, string>;
  parts: readonly A2aPart[];
  /** The skill that is meant, for agents that read it from the metadata. */
  skillId?: string | undefined;
  /** To continue a conversation, or a task that waits for input. */
  contextId?: string | undefined;
  taskId?: string | undefined;
  timeoutMs: number;
  /** How often a message that the server did not accept is sent again. */
  retries: number;
  signal: AbortSignal;
}

export type A2aPart =
  | { text: string }
  | { data: unknown }
  | { url: string; mediaType: string; filename: string }
  /** In Base64. */
  | { bytes: string; mediaType: string; filename: string };

export interface A2aArtifact {
  id: string;
  name: string;
  description: string;
  parts: A2aPart[];
}

export type A2aState =
  | 'submitted'
  | 'working'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'input-required'
  | 'rejected'
  | 'auth-required';

/** The texts of `status`, `end` and `failure` are uncut, so that whoever shows them can redact them first. */
export type A2aEvent =
  | { type: 'text-delta'; text: string }
  /** A complete artifact, whose text was emitted in deltas too. */
  | { type: 'artifact'; artifact: A2aArtifact }
  /** The state of the agent's task, with what the agent says about it. */
  | { type: 'status'; state: A2aState; text: string }
  /** In any state in which the agent does not go on by itself. `text` is the answer as a whole. */
  | {
      type: 'end';
      state: A2aState;
      text: string;
      artifacts: A2aArtifact[];
      contextId: string | undefined;
      taskId: string | undefined;
    }
  /** The server refused, with an HTTP status if it is not 200. */
  | { type: 'failure'; failure: string; status?: number | undefined };
