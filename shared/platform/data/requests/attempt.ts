/**
 * One attempt of a request to DynamoDB: its headers are signed, it is sent over a kept connection, and its answer is read.
 * An answer that reports an error is read by the SDK's own code, so that errors and their retries are the SDK's.
 * So is one that cannot be read. There is no time limit but the signal, whose `onabort` is set here.
 * A signature is made anew for each attempt, with the clock as the SDK corrected it; the key of a day is kept.
 * `document-client.ts` is the only caller: it decides what is sent and how often.
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import {
  type AwsCredentialIdentity,
  type DeserializeMiddleware,
  type HandlerExecutionContext,
  type HttpRequest,
  type HttpSigner,
  SMITHY_CONTEXT_KEY,
} from '@smithy/types';
import { loadOnce } from '../../../core/concurrency/load-once.ts';
import type { DynamoOperation, Learned } from './document-client.ts';
import { splitAnswer } from './lazy-items.ts';

/** A request on its way. */
export interface SentRequest {
  input: object;
  operation: DynamoOperation;
  learned: Learned;
  signal: RequestSignal | undefined;
  /** Whether the answer is to have lazy items. */
  lazyItems: boolean;
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
      const output = await readOutput(sent, response as WireResponse);
      if (output) return { response, output };
      const context = { [SMITHY_CONTEXT_KEY]: { operationSchema: operation.schema } };
      return await deserialize()(async () => ({ response }), context as HandlerExecutionContext)(sent);
    } catch (error) {
      return failure(error as Error) as never;
    }
  };
}

/** @returns `undefined` for an error, and for what cannot be read: the SDK says why. */
async function readOutput(
  { operation: { read }, lazyItems }: SentRequest,
  { statusCode, headers, body }: WireResponse,
): Promise<object | undefined> {
  if (statusCode >= 300) return undefined;
  const $metadata = {
    httpStatusCode: statusCode,
    requestId: headers['x-amzn-requestid'],
    extendedRequestId: undefined,
    cfId: undefined,
  };
  try {
    const output = lazyItems ? await splitAnswer(body, read) : read(JSON.parse(body.toString()));
    return { ...output, $metadata };
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

interface WireResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A signal in the older form that the SDK knows too. A native one costs 0.1 ms of CPU a request. */
export interface RequestSignal {
  aborted: boolean;
  onabort: (() => void) | null;
}

type DynamoExchange = ReturnType<typeof createExchange>;

/** Kept connections to an origin, as many as the SDK allows itself. Like the SDK's, they wait for an answer without a limit. */
function createExchange(origin: string) {
  const { protocol, hostname, port } = new URL(origin);
  // Loaded when first used: TLS takes 10 ms (D113).
  const { Agent, request } = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const options = { agent, hostname: hostname.replace(/^\[|\]$/g, ''), port, method: 'POST', path: '/' };

  /** Sends a POST to `/`. @throws as the SDK's handler on Node */
  return (
    headers: Record<string, string>,
    body: string,
    signal: RequestSignal | undefined,
  ): Promise<WireResponse> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(createAbortError());
      // A list of headers is sent as it is, at less CPU than an object.
      const sent = request({ ...options, headers: Object.entries(headers).flat() }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            statusCode: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            body: Buffer.concat(chunks),
          }),
        );
        response.on('error', reject);
      });
      sent.on('error', (error: Error & { code?: string }) =>
        reject(timeouts.has(error.code) ? Object.assign(error, { name: 'TimeoutError' }) : error),
      );
      if (signal)
        signal.onabort = () => {
          sent.destroy();
          reject(createAbortError());
        };
      sent.end(body);
    });
}

const createAbortError = () => Object.assign(new Error('Request aborted'), { name: 'AbortError' });

/** What the SDK calls a time-out if there is no answer yet. */
const timeouts: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** What a request is signed for. */
export interface SigningScope {
  region: string;
  service: string;
}

/** Of the headers that a request has here, those that the SDK does not sign. */
const unsigned: ReadonlySet<string> = new Set(['user-agent', 'authorization']);

/**
 * Adds the headers of Signature Version 4 to those of a POST to `/` without a query. The key of a day is kept.
 * See https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
function createSigner({ region, service }: SigningScope) {
  let key: { of: AwsCredentialIdentity; day: string; secret: KeyObject } | undefined;
  return (
    headers: Record<string, string>,
    body: string,
    credentials: AwsCredentialIdentity,
    time: Date,
  ): void => {
    const date = time.toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = date.slice(0, 8);
    if (key?.of !== credentials || key.day !== day)
      key = { of: credentials, day, secret: deriveKey(credentials, day, region, service) };
    headers['x-amz-date'] = date;
    if (credentials.sessionToken) headers['x-amz-security-token'] = credentials.sessionToken;
    const payloadHash = hash('sha256', body);
    headers['x-amz-content-sha256'] = payloadHash;
    const names = Object.keys(headers)
      .filter((name) => !unsigned.has(name))
      .sort();
    const lines = names.map((name) => `${name}:${headers[name]}\n`).join('');
    const signedNames = names.join(';');
    const canonical = `POST\n/\n\n${lines}\n${signedNames}\n${payloadHash}`;
    const scope = `${day}/${region}/${service}/aws4_request`;
    const toSign = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash('sha256', canonical)}`;
    const signature = createHmac('sha256', key.secret).update(toSign).digest('hex');
    headers.authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signedNames}, Signature=${signature}`;
  };
}

function deriveKey({ secretAccessKey }: AwsCredentialIdentity, ...parts: string[]): KeyObject {
  const key = [...parts, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  return createSecretKey(key as Buffer);
}
