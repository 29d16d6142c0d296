import type { JsonSchema } from '../../../adapters/ports/model-port.ts';
import type { AgentContent } from '../../../domain/agents/config/agent.ts';
import type { PageTool } from '../../../domain/client-sessions/page-tool.ts';
import type { Message } from '../../../domain/conversations/message.ts';

export interface ClientTool {
  name: string;
  description: string;
  parametersSchema: JsonSchema;
  /** Of a tool of a web page: how the page names it. */
  page?: Pick<PageTool, 'name' | 'origin' | 'pageOrigin'> | undefined;
}

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

export interface RunInput {
  messages: readonly Message[];
  /** The system prompt with its variables filled in. */
  system: string;
  profile: string;
  /** When the previous message of the conversation was sent. ISO. */
  previousMessageAt?: string | undefined;
  history?: RunHistory | undefined;
  responseSchema?: JsonSchema | undefined;
  clientTools?: readonly ClientTool[] | undefined;
  modelOverride?: string | undefined;
}

export interface AgentToRun {
  /** Null for an agent that was given inline. */
  id: string | null;
  name: string;
  /** The immutable version; null for unpublished content. */
  versionId: string | null;
  content: AgentContent;
}
