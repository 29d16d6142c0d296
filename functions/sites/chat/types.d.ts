/** What the page of a chat reads of the API: `client-chat` in the reference. */

export type PageMessageContent = string | { text?: string; filename?: string }[] | null;
export interface PageMessage {
  role: 'user' | 'assistant';
  content: PageMessageContent;
}
/** A message that the visitor sends. */
export interface VisitorMessage {
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
  conversation?: { messages: PageMessage[] } | null;
  executionId?: string;
}

export type ApprovalDecision = 'approved' | 'denied';
export type Vote = 'upvote' | 'downvote';
export type AwaitReason = 'approval' | 'wait' | 'local_tool';
export interface PendingApproval {
  executionId: string;
  approvalId: string;
  toolName: string;
  parameters?: unknown;
}
export type ChatEvent = { executionId: string; streamId?: string } & (
  | { type: 'text_delta'; id: string; delta: string }
  | { type: 'tool_start'; toolCallId: string; toolName: string }
  | { type: 'tool_complete'; toolCallId: string; success: boolean }
  | ({ type: 'approval_start' } & PendingApproval)
  | { type: 'execution_error'; error: { message: string } }
  | { type: 'await'; awaitReason: AwaitReason }
  | { type: 'execution_complete' }
);
export type Events = AsyncIterable<ChatEvent>;
/** Where a stream continues. */
export interface StreamPosition {
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
  askAbout: (call: PendingApproval, decided: (decision: ApprovalDecision) => void) => void;
  judge: (vote: (type: Vote) => void) => void;
  note: (text: string) => void;
}
export type Decided = (approval: PendingApproval, decision: ApprovalDecision) => void;
/** A failed request has a status, which is 0 without a response. */
export interface ChatFailure {
  name?: string;
  message: string;
  status?: number;
}
