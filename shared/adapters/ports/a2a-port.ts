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
