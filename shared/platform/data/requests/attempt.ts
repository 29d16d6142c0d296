import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import {
  type DeserializeMiddleware,
  type HandlerExecutionContext,
  type HttpRequest,
  type HttpSigner,
  SMITHY_CONTEXT_KEY,
} from '@smithy/types';
import { loadOnce } from '../../../core/concurrency/load-once.ts';
import { createExchange, type DynamoExchange, type RequestSignal, type WireResponse } from './exchange.ts';
import type { Learned } from './learned.ts';
import type { DynamoOperation } from './operations.ts';
import { createSigner } from './signing.ts';

/** A request on its way. */
export interface SentRequest {
  input: object;
  operation: DynamoOperation;
  learned: Learned;
  signal: RequestSignal | undefined;
}

type Config = DynamoDBClient['config'];

/** Sends one attempt of a request. @throws the errors of the SDK */
export function createAttempt(config: Config) {
  const deserialize = loadOnce(() => findDeserializer(config));
  const destinations = new Map<string, Destination>();
  const clock = loadOnce(() => createClock(config));

  return async (sent: SentRequest & { request: HttpRequest }) => {
    const { operation, learned, request, signal } = sent;
    const body = request.body as string;
    const headers = { ...request.headers };
    const { exchange, sign } = findDestination(destinations, learned);
    const { success, failure, now } = (await clock()).begin();
    sign(headers, body, await config.credentials(), now);
    try {
      const response = new HttpResponse(await exchange(headers, body, signal));
      success(response);
      const output = readOutput(operation, response as WireResponse);
      if (output) return { response, output };
      const context = { [SMITHY_CONTEXT_KEY]: { operationSchema: operation.schema } };
      return await deserialize()(async () => ({ response }), context as HandlerExecutionContext)(sent);
    } catch (error) {
      return failure(error as Error) as never;
    }
  };
}

/** @returns `undefined` for an error, and for what cannot be read: the SDK says why. */
function readOutput(
  { read }: DynamoOperation,
  { statusCode, headers, body }: WireResponse,
): object | undefined {
  if (statusCode >= 300) return undefined;
  const $metadata = {
    httpStatusCode: statusCode,
    requestId: headers['x-amzn-requestid'],
    extendedRequestId: undefined,
    cfId: undefined,
  };
  try {
    return { ...read(JSON.parse(body.toString())), $metadata };
  } catch {
    return undefined;
  }
}

interface Destination {
  exchange: DynamoExchange;
  sign: ReturnType<typeof createSigner>;
}

function findDestination(destinations: Map<string, Destination>, { origin, scope }: Learned): Destination {
  const found = destinations.get(origin) ?? { exchange: createExchange(origin), sign: createSigner(scope) };
  destinations.set(origin, found);
  return found;
}

/** The SDK's own middleware that reads responses. */
function findDeserializer(config: Config): DeserializeMiddleware<object, object> {
  let found: unknown;
  getSchemaSerdePlugin(config as never).applyToStack({
    add(middleware: unknown, { name }: { name?: string }) {
      if (name === 'deserializerMiddleware') found = middleware;
    },
  } as never);
  return found as DeserializeMiddleware<object, object>;
}

/** The SDK's correction of a clock that differs from DynamoDB's. */
async function createClock(config: Config) {
  const isFixed = (await config.disableClockSkewCorrection()) === true;
  const scheme = config.httpAuthSchemes.find(({ schemeId }) => schemeId === 'aws.auth#sigv4');
  if (!scheme) throw new Error('The client does not sign its requests');
  const { errorHandler, successHandler } = scheme.signer as Required<HttpSigner>;
  return {
    begin() {
      const offset = isFixed ? 0 : config.systemClockOffset;
      const sentAt = Date.now();
      const properties = {
        config,
        _disableClockSkewCorrection: isFixed,
        _preRequestSystemClockOffset: offset,
        _requestSentAt: sentAt,
      };
      return {
        now: new Date(sentAt + offset),
        success: (response: HttpResponse) => successHandler(response, properties),
        failure: errorHandler(properties),
      };
    },
  };
}
