import type { JsonSchema } from '../../../adapters/ports/model-port.ts';
import type { AgentContent } from '../../../domain/agents/config/agent.ts';
import type { PageTool } from '../../../domain/client-sessions/page-tool.ts';
import type { Message } from '../../../domain/conversations/message.ts';

/** A tool of the caller, for one run. */
export interface ClientTool {
  name: string;
  description: string;
  parametersSchema: JsonSchema;
  /** Of a tool of a web page: how the page names it. */
  page?: Pick<PageTool, 'name' | 'origin' | 'pageOrigin'> | undefined;
}

/** The conversation whose newest messages a run was started with. */
export interface RunHistory {
  conversationId: string;
  /** Replacing all messages starts another one. */
  generation: string;
  /** The number of the first of the messages in the conversation. */
  firstNumber: number;
  /** Of the messages before them. */
  summary?: string | undefined;
  /** The system messages among them. */
  instructions?: string | undefined;
}

/** What a run was started with, as it is stored. */
export interface RunInput {
  messages: readonly Message[];
  /** The system prompt with its variables filled in. */
  system: string;
  /** Whose memory the run has. */
  profile: string;
  /** When the previous message of the conversation was sent. ISO. */
  previousMessageAt?: string | undefined;
  /** Of a chat: where `messages` come from. A long history is summarised. */
  history?: RunHistory | undefined;
  /** What the answer must fit. */
  responseSchema?: JsonSchema | undefined;
  /** Tools that the caller executes. */
  clientTools?: readonly ClientTool[] | undefined;
  /** The model instead of the agent's. */
  modelOverride?: string | undefined;
}

/** An agent as a run takes it. */
export interface AgentToRun {
  /** Null for an agent that was given inline. */
  id: string | null;
  name: string;
  /** The immutable version; null for unpublished content. */
  versionId: string | null;
  content: AgentContent;
}
