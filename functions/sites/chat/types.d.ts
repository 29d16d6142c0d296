/** What the page of a chat reads of the API: `client-chat` in the reference. */

export type Content = string | { text?: string; filename?: string }[] | null;
export interface Message {
  role: 'user' | 'assistant';
  content: Content;
}
/** A message that the visitor sends. */
export interface Question {
  role: 'user';
  content: string;
  id: string;
}
export interface Theme {
  mode?: string;
  primaryColor?: unknown;
}
export interface Chat {
  sessionId: string;
  flow: { name?: string; description?: string | null };
  config: { placeholder?: string; welcomeMessage?: string; theme?: Theme | null };
  conversation?: { messages: Message[] } | null;
  executionId?: string;
}

export type Decision = 'approved' | 'denied';
export type Vote = 'upvote' | 'downvote';
export type AwaitReason = 'approval' | 'wait' | 'local_tool';
export interface Approval {
  executionId: string;
  approvalId: string;
  toolName: string;
  parameters?: unknown;
}
export type ChatEvent = { executionId: string; streamId?: string } & (
  | { type: 'text_delta'; id: string; delta: string }
  | { type: 'tool_start'; toolCallId: string; toolName: string }
  | { type: 'tool_complete'; toolCallId: string; success: boolean }
  | ({ type: 'approval_start' } & Approval)
  | { type: 'execution_error'; error: { message: string } }
  | { type: 'await'; awaitReason: AwaitReason }
  | { type: 'execution_complete' }
);
export type Events = AsyncIterable<ChatEvent>;
/** Where a stream continues. */
export interface Place {
  executionId?: string;
  after?: string | undefined;
}

/** An answer on the page. */
export interface Shown {
  whole: () => string;
  write: (id: string, delta: string) => void;
  goOn: () => void;
  end: () => void;
  startTool: (id: string, name: string) => void;
  endTool: (id: string, success: boolean) => void;
  askAbout: (call: Approval, decided: (decision: Decision) => void) => void;
  judge: (vote: (type: Vote) => void) => void;
  note: (text: string) => void;
}
export type Decided = (approval: Approval, decision: Decision) => void;
/** A failed request has a status, which is 0 without a response. */
export interface Failure {
  name?: string;
  message: string;
  status?: number;
}
