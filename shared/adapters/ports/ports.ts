import type { NewWarning } from '../../core/warnings.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { A2aPort } from './a2a-port.ts';
import type { AgentsPort } from './agents-port.ts';
import type { AssetsPort } from './assets-port.ts';
import type { EmbeddingRequest, EmbeddingResponse } from './embedding-port.ts';
import type { FlowsPort } from './flows-port.ts';
import type { HttpRequest, HttpResponse, SearchProvider } from './http-port.ts';
import type { McpPort } from './mcp-port.ts';
import type { MemoryPort } from './memory-port.ts';
import type { MessagesPort } from './messages-port.ts';
import type { ModelPort } from './model-port.ts';
import type { RecordsPort } from './records-port.ts';
import type { ToolsPort } from './tools-port.ts';
import type { VectorsPort } from './vectors-port.ts';
import type { WaitsPort } from './waits-port.ts';

/** Everything outside of a run that the engine can use. */
export interface Ports {
  now: () => Date;
  /** The secrets with these keys; omits those without a value. A `version` changes with its value, and says nothing of it. */
  secrets: (keys: readonly string[]) => Promise<ReadonlyMap<string, { value: string; version: string }>>;
  /** A text as people may see it: names in place of values of secrets. For what is cut: a part of a value is not recognised. */
  shown: (text: string) => string;
  /** Says that something went otherwise than asked, and did not fail. Whoever looks at the run sees it. */
  warn: (warning: NewWarning) => void;
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
  waits: WaitsPort;
}
