/**
 * A client of DynamoDB that takes less than half of the SDK's CPU time, by replacing the middlewares that cost the most.
 *
 * The first request of each operation goes through the SDK, and its endpoint and headers are noted; the next ones are built
 * from that and from the operation's schema (`attribute-values.ts` writes and reads the values), signed and sent
 * (`attempt.ts`). They equal the SDK's byte by byte, which tests compare. Retries, errors and the correction of the clock
 * remain the SDK's own code. Everything that it cannot do itself goes to the SDK.
 */
import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import { retryMiddleware } from '@smithy/core/retry';
import { deref, NormalizedSchema } from '@smithy/core/schema';
import {
  type FinalizeHandler,
  type FinalizeRequestMiddleware,
  type HandlerExecutionContext,
  type MiddlewareStack,
  type SchemaRef,
  SMITHY_CONTEXT_KEY,
  type StaticOperationSchema,
} from '@smithy/types';
import { createAttempt, type RequestSignal, type SentRequest, type SigningScope } from './attempt.ts';
import { fromWire, mapFromWire, mapToWire, toWire } from './attribute-values.ts';

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
type Options = { abortSignal?: RequestSignal; lazyItems?: true } | undefined;

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
      lazyItems: options?.lazyItems === true,
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

/** An operation of DynamoDB. */
export interface DynamoOperation {
  /** DynamoDB's name, such as `GetItem`. */
  name: string;
  schema: StaticOperationSchema;
  write: ShapeWriter;
  read: ShapeReader;
}

const operationsByCommand = new Map<unknown, DynamoOperation>();

/** The operation of a command of the document client. */
function commandOperation(command: object): DynamoOperation {
  const found = operationsByCommand.get(command.constructor);
  if (found) return found;
  const { schema } = (command as { clientCommand: { schema: StaticOperationSchema } }).clientCommand;
  const [, , name, , input, output] = schema;
  const operation = {
    name,
    schema,
    write: createShapeWriter(deref(input)),
    read: createShapeReader(deref(output)),
  };
  operationsByCommand.set(command.constructor, operation);
  return operation;
}

type Convert = (value: never) => unknown;

/** How the attribute values within a shape are converted; the rest of it stays as it is. */
interface Direction {
  value: Convert;
  map: Convert;
  /** Writing gives members in the order of the schema, and a token to operations that have one. */
  isWriting: boolean;
}

const writing: Direction = { value: toWire as Convert, map: mapToWire as Convert, isWriting: true };
const reading: Direction = { value: fromWire as Convert, map: mapFromWire as Convert, isWriting: false };

/** From an operation's input in native values to the body of its request, as an object. */
const createShapeWriter = (schema: SchemaRef) =>
  createStructConverter(NormalizedSchema.of(schema), writing) as ShapeWriter;
type ShapeWriter = (input: object) => object;

/** From the body of a response, parsed, to the operation's output in native values. */
const createShapeReader = (schema: SchemaRef) =>
  createStructConverter(NormalizedSchema.of(schema), reading) as ShapeReader;
type ShapeReader = (body: object) => object;

/** @returns `undefined` for a shape that has no attribute values. */
function createConverter(schema: NormalizedSchema, direction: Direction): Convert | undefined {
  if (isAttributeValue(schema)) return direction.value;
  if (schema.isMapSchema()) return createMapConverter(schema.getValueSchema(), direction);
  if (schema.isListSchema()) {
    const convert = createConverter(schema.getValueSchema(), direction);
    return convert && ((list: readonly never[]) => list.map((each) => convert(each)));
  }
  if (!schema.isStructSchema()) return undefined;
  const hasValues = [...schema.structIterator()].some(([, member]) => createConverter(member, direction));
  return hasValues ? createStructConverter(schema, direction) : undefined;
}

const isAttributeValue = (schema: NormalizedSchema) =>
  schema.getName(true) === 'com.amazonaws.dynamodb#AttributeValue';

function createMapConverter(values: NormalizedSchema, direction: Direction): Convert | undefined {
  if (isAttributeValue(values)) return direction.map;
  const convert = createConverter(values, direction);
  return (
    convert &&
    ((map: Record<string, never>) =>
      Object.fromEntries(Object.entries(map).map(([name, value]) => [name, convert(value)])))
  );
}

function createStructConverter(schema: NormalizedSchema, direction: Direction): Convert {
  const members = Array.from(schema.structIterator(), ([name, member]) => ({
    name,
    convert: createConverter(member, direction),
    isToken: direction.isWriting && member.isIdempotencyToken(),
  }));
  return (source: Record<string, never>) => {
    const target: Record<string, unknown> = {};
    for (const { name, convert, isToken } of members) {
      const value = source[name] as never;
      if (value !== undefined && value !== null) target[name] = convert ? convert(value) : value;
      else if (isToken) target[name] = randomUUID();
    }
    return target;
  };
}

/** What all requests of an operation have in common, as the SDK has sent one. */
export interface Learned {
  /** Such as `https://dynamodb.eu-central-1.amazonaws.com`. */
  origin: string;
  scope: SigningScope;
  /** Without those that differ between requests. */
  headers: Readonly<Record<string, string>>;
  /** Of the credentials: the endpoint may depend on it. */
  accountId: string | undefined;
}

/** Set anew for each request. */
const varying: ReadonlySet<string> = new Set([
  'amz-sdk-invocation-id',
  'amz-sdk-request',
  'authorization',
  'content-length',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
  // Of the invocation. DynamoDB has no use for it.
  'x-amzn-trace-id',
]);

/**
 * Learns from each request that the SDK sends: its endpoint and headers, by the name of the operation.
 * @returns also the middleware, which is for the SDK's requests only.
 */
function learnFrom(client: DynamoDBClient) {
  const learned = new Map<string, Learned>();
  const middleware: FinalizeRequestMiddleware<object, object> = (next) => async (sent) => {
    if (HttpRequest.isInstance(sent.request)) {
      const { accountId } = await client.config.credentials();
      const facts = readRequest(sent.request, accountId);
      if (facts) learned.set(facts.operation, facts.learned);
    }
    return next(sent);
  };
  client.middlewareStack.add(middleware as never, { step: 'finalizeRequest', priority: 'low' });
  return { learned: learned as ReadonlyMap<string, Learned>, middleware };
}

function readRequest({ protocol, hostname, port, path, query, headers }: HttpRequest, accountId?: string) {
  const operation = headers['x-amz-target']?.split('.')[1];
  const [, region, service] = headers.authorization?.match(/Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\//) ?? [];
  if (!operation || !region || !service || path !== '/' || Object.keys(query ?? {}).length > 0)
    return undefined;
  const constant = Object.entries(headers).filter(([name]) => !varying.has(name.toLowerCase()));
  return {
    operation,
    learned: {
      origin: `${protocol}//${hostname}${port ? `:${port}` : ''}`,
      scope: { region, service },
      headers: Object.fromEntries(constant.map(([name, value]) => [name.toLowerCase(), value])),
      accountId,
    },
  };
}
