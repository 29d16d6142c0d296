import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AgentCard, Message, Part, Task } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import { allowHost, loopback } from './loopback.ts';

/** By their numbers in the protocol. */
export const taskStates = {
  working: 2,
  completed: 3,
  failed: 4,
  canceled: 5,
  inputRequired: 6,
  authRequired: 8,
};

const part = (content: Part['content']): Part => ({
  content,
  metadata: undefined,
  filename: '',
  mediaType: '',
});
export const textPart = (value: string) => part({ $case: 'text', value });
export const dataPart = (value: unknown) => part({ $case: 'data', value });

const role = 2;

/** What an agent of a test publishes about one message. */
export class AgentWork {
  readonly message: Message;
  readonly taskId: string;
  readonly contextId: string;
  readonly #bus: ExecutionEventBus;

  constructor(bus: ExecutionEventBus, ids: { taskId: string; contextId: string; message: Message }) {
    this.#bus = bus;
    ({ taskId: this.taskId, contextId: this.contextId, message: this.message } = ids);
  }

  get #ids() {
    return { taskId: this.taskId, contextId: this.contextId };
  }

  #message(words: string): Message {
    return {
      ...this.#ids,
      messageId: crypto.randomUUID(),
      role,
      parts: [textPart(words)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
  }

  /** Answers without a task. */
  answer(words: string): void {
    this.#bus.publish(AgentEvent.message(this.#message(words)));
  }

  begin(): void {
    const status = { state: 1, message: undefined, timestamp: undefined };
    const task: Task = {
      id: this.taskId,
      contextId: this.contextId,
      status,
      artifacts: [],
      history: [],
      metadata: undefined,
    };
    this.#bus.publish(AgentEvent.task(task));
  }

  status(state: number, words?: string): void {
    const message = words === undefined ? undefined : this.#message(words);
    this.#bus.publish(
      AgentEvent.statusUpdate({
        ...this.#ids,
        status: { state, message, timestamp: undefined },
        metadata: undefined,
      }),
    );
  }

  artifact(artifactId: string, parts: Part[], { append = false, lastChunk = true } = {}): void {
    const artifact = {
      artifactId,
      name: artifactId,
      description: '',
      parts,
      metadata: undefined,
      extensions: [],
    };
    this.#bus.publish(
      AgentEvent.artifactUpdate({ ...this.#ids, artifact, append, lastChunk, metadata: undefined }),
    );
  }
}

export interface A2aServerOptions {
  version?: '1.0' | '0.3';
  streaming?: boolean;
  canceled?: (taskId: string) => void;
}

/** A server of the official SDK whose agent does this work, and what it was asked: the methods and the headers. */
export async function a2aServer(
  work: (work: AgentWork) => Promise<void> | void,
  { version = '1.0', streaming = true, canceled }: A2aServerOptions = {},
) {
  const asked: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const executor: AgentExecutor = {
    async execute({ taskId, contextId, userMessage }, bus) {
      await work(new AgentWork(bus, { taskId, contextId, message: userMessage }));
      bus.finished();
    },
    async cancelTask(taskId, bus) {
      canceled?.(taskId);
      bus.finished();
    },
  };
  let handler: JsonRpcTransportHandler | LegacyJsonRpcTransportHandler | undefined;
  const { url, host } = await loopback(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const body = JSON.parse(await text(request));
    asked.push(body.method);
    headers.push(request.headers);
    const answer = await handler?.handle(body, new ServerCallContext({ requestedVersion: version }));
    await write(response, answer);
  });
  const card = cardOf(url, { version, streaming });
  const requests = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  handler =
    version === '1.0' ? new JsonRpcTransportHandler(requests) : new LegacyJsonRpcTransportHandler(requests);
  allowHost(host);
  return { url, host, asked, headers, card };
}

const cardOf = (url: string, { version, streaming }: { version: string; streaming: boolean }): AgentCard => ({
  name: 'Test',
  description: '',
  version: '1',
  provider: undefined,
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: version, tenant: '' }],
  capabilities: { streaming, extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  skills: [],
  signatures: [],
  defaultInputModes: ['text/plain', 'application/json'],
  defaultOutputModes: ['text/plain'],
});

async function write(response: ServerResponse, answer: unknown): Promise<void> {
  if (typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for await (const event of answer as AsyncIterable<unknown>) {
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}
