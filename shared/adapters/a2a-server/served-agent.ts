import type { A2aPart, A2aState } from '../ports/a2a-port.ts';

export interface ServedCard {
  name: string;
  description: string;
  /** Changes when the surface does. */
  version: string;
  /** Of JSON-RPC, and below it of HTTP. */
  url: string;
  /** Whose tokens it takes beside keys. */
  oidcIssuer: string;
  skills: ServedSkill[];
}

export interface ServedSkill {
  id: string;
  name: string;
  description: string;
  tags: string[];
}

export interface IncomingMessage {
  id: string;
  parts: A2aPart[];
  /** To answer a task that waits for input. */
  taskId: string | undefined;
  contextId: string | undefined;
  skillId: string | undefined;
  /** Media types that the caller takes; any if it is empty. */
  outputModes: readonly string[];
  /** Whether the caller does not wait for the end of the task. */
  returnsAtOnce: boolean;
  push: PushReceiver | undefined;
}

/** Where a caller wants to be told of a task, as it was sent. Missing texts are empty. */
export interface PushReceiver {
  id: string;
  url: string;
  token: string;
  authentication: { scheme: string; credentials: string } | undefined;
  /** Of the notifications: that of the request. */
  version: '1.0' | '0.3';
}

/** What is shown of a receiver: its secrets go in and never come out. */
export interface ShownReceiver {
  id: string;
  url: string;
  scheme: string | null;
}

export interface ServedMessage {
  id: string;
  role: 'user' | 'agent';
  parts: A2aPart[];
}

export interface ServedStatus {
  state: A2aState;
  /** ISO. */
  at: string;
  message?: ServedMessage;
}

export interface ServedTask {
  id: string;
  contextId: string;
  status: ServedStatus;
  /** The answer of a completed task. */
  output: A2aPart[];
  /** Oldest first. */
  history: ServedMessage[];
}

/** What happens to a task. The first event is the task. */
export type ServedEvent =
  | { type: 'task'; task: ServedTask }
  /** `output`: the whole answer, of a task that has ended and that nobody had to be asked for. */
  | { type: 'status'; status: ServedStatus; output?: A2aPart[] }
  /** A part of the answer. `append`: after the parts before it, not instead of them. */
  | { type: 'output'; parts: A2aPart[]; append: boolean; isLast: boolean };

export interface TaskQuery {
  contextId: string | undefined;
  state: A2aState | undefined;
  /** Changed at this time or later. */
  after: Date | undefined;
  limit: number;
  cursor: string | undefined;
  withOutput: boolean;
}

interface TaskPage {
  tasks: ServedTask[];
  nextCursor: string | undefined;
  total: number;
}

/** An agent that a server offers. Its methods throw a `ServiceError` or an `A2aRefusal`. */
export interface ServedAgent {
  card: ServedCard;
  send: (message: IncomingMessage) => AsyncGenerator<ServedEvent, void>;
  get: (id: string) => Promise<ServedTask>;
  list: (query: TaskQuery) => Promise<TaskPage>;
  cancel: (id: string) => Promise<ServedTask>;
  addReceiver: (taskId: string, receiver: PushReceiver) => Promise<ShownReceiver>;
  receivers: (taskId: string) => Promise<readonly ShownReceiver[]>;
  receiver: (taskId: string, id: string) => Promise<ShownReceiver>;
  removeReceiver: (taskId: string, id: string) => Promise<void>;
  follow: (id: string) => AsyncGenerator<ServedEvent, void>;
}

export type RefusalKind = 'not-cancelable' | 'unsupported' | 'content-type' | 'malformed';

/** An error that the protocol has a code for. */
export class A2aRefusal extends Error {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
