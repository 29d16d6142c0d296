import type { HttpRequest } from './http-port.ts';
import type { JsonSchema } from './model-port.ts';

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
  /** Headers that differ in each request, such as its trace: no part of what a list is cached by. */
  context?: Readonly<Record<string, string>> | undefined;
  /** Of a call: servers get it as `Idempotency-Key`, in the request of the call alone. */
  callId?: string | undefined;
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
  /** Those that cannot be called, and why: their descriptions are unusable, or against the protocol. */
  invalid?: { name: string; problem: string }[];
  /** Why the pages after those with these tools could not be read. */
  unread?: McpFailure | { problem: string; retryable: boolean };
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
