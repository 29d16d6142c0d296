/**
 * A client of DynamoDB that takes less than half of the SDK's CPU time, by replacing the middlewares that cost the most.
 *
 * The first request of each operation goes through the SDK, and `learned.ts` notes its endpoint and headers; the next ones are
 * built from that (`operations.ts`, `attribute-values.ts`), signed (`signing.ts`) and sent (`attempt.ts`, `exchange.ts`). They
 * equal the SDK's byte by byte, which tests compare. Retries, errors and the correction of the clock remain the SDK's own
 * code. Everything that it cannot do itself goes to the SDK.
 */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import { retryMiddleware } from '@smithy/core/retry';
import {
  type FinalizeHandler,
  type HandlerExecutionContext,
  type MiddlewareStack,
  SMITHY_CONTEXT_KEY,
} from '@smithy/types';
import { createAttempt, type SentRequest } from './attempt.ts';
import type { RequestSignal } from './exchange.ts';
import { learnFrom } from './learned.ts';
import { commandOperation, type DynamoOperation } from './operations.ts';

/** Those of the SDK whose work is done here. Others that a client has stay. */
const replaced = [
  'loggerMiddleware',
  'serializerMiddleware',
  'contentLengthMiddleware',
  'getUserAgentMiddleware',
  'hostHeaderMiddleware',
  'recursionDetectionMiddleware',
  'httpAuthSchemeMiddleware',
  'httpSigningMiddleware',
  'retryMiddleware',
  'deserializerMiddleware',
];

type Handler = (sent: SentRequest) => Promise<{ output: unknown }>;
type Options = { abortSignal?: RequestSignal } | undefined;

/** Middlewares are to be added before the first request (D113). */
export class DocumentClient extends DynamoDBDocumentClient {
  readonly #lessons;
  readonly #attempt;
  readonly #handlers = new Map<DynamoOperation, Handler>();

  constructor(client: DynamoDBClient) {
    super(client, { marshallOptions: { removeUndefinedValues: true } });
    this.#lessons = learnFrom(client);
    this.#attempt = createAttempt(client.config);
  }

  // biome-ignore lint/suspicious/noExplicitAny: stands for every overload
  override send(command: any, options?: any, callback?: any): any {
    // Only our light signal, and commands of the document client.
    const isOther = options?.abortSignal?.addEventListener || !command.clientCommand;
    return callback || typeof options === 'function' || isOther
      ? super.send(command, options, callback)
      : this.#send(command, options);
  }

  async #send(command: { input: object }, options: Options): Promise<unknown> {
    const operation = commandOperation(command);
    const learned = this.#lessons.learned.get(operation.name);
    if (!learned) return super.send(command as never, options as never);
    const credentials = await this.config.credentials();
    if (credentials.accountId !== learned.accountId) return super.send(command as never, options as never);
    let handler = this.#handlers.get(operation);
    if (!handler) {
      handler = this.#createHandler(operation);
      this.#handlers.set(operation, handler);
    }
    const { output } = await handler({
      input: command.input,
      operation,
      learned,
      signal: options?.abortSignal,
    });
    return output;
  }

  #createHandler({ name, schema }: DynamoOperation) {
    // biome-ignore lint/suspicious/noExplicitAny: holds middlewares of every operation
    const stack = this.middlewareStack.clone() as MiddlewareStack<any, any>;
    for (const each of [...replaced, this.#lessons.middleware]) stack.remove(each);
    stack.add((next) => (sent) => next({ ...sent, request: buildRequest(sent as SentRequest) }), {
      step: 'serialize',
    });
    stack.add(createRetries(this.config), { step: 'finalizeRequest', priority: 'high' });
    const context = {
      clientName: 'DynamoDBClient',
      commandName: `${name}Command`,
      [SMITHY_CONTEXT_KEY]: { operationSchema: schema },
    };
    return stack.resolve(this.#attempt as never, context) as unknown as Handler;
  }
}

function buildRequest({ operation, learned, input }: SentRequest): HttpRequest {
  const body = JSON.stringify(operation.write(input));
  const headers = { ...learned.headers, 'content-length': String(Buffer.byteLength(body)) };
  return new HttpRequest({ method: 'POST', path: '/', headers, body });
}

/** The SDK's own retries. It keeps the signal in the context of a request; here, operations share theirs. */
function createRetries(config: DynamoDBClient['config']) {
  const retry = retryMiddleware(config);
  return (
    // biome-ignore lint/suspicious/noExplicitAny: of every operation
    next: FinalizeHandler<any, any>,
    context: HandlerExecutionContext,
    // biome-ignore lint/suspicious/noExplicitAny: of every operation
  ): FinalizeHandler<any, any> =>
    (sent) => {
      const { signal } = sent as unknown as SentRequest;
      const smithyContext = {
        ...context[SMITHY_CONTEXT_KEY],
        ...(signal && { abortSignal: signal as AbortSignal }),
      };
      return retry(next, { ...context, [SMITHY_CONTEXT_KEY]: smithyContext })(sent);
    };
}
