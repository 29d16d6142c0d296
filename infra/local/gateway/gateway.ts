import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  request as sendOn,
} from 'node:http';
import type { Socket } from 'node:net';
import type {
  APIGatewayAuthorizerResult,
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  APIGatewayRequestAuthorizerEvent,
} from 'aws-lambda';
import type { DetailCode } from '../../../shared/core/errors/error-codes.ts';
import { ServiceError } from '../../../shared/core/errors/errors.ts';
import { log } from '../../../shared/core/log.ts';
import { readDefaultLimits } from '../../../shared/platform/auth/rate-limit-windows.ts';
import {
  answerBytesMax,
  eventBytesMax,
  maxHeaderSize,
} from '../../../shared/platform/http/responses/body-sizes.ts';
import {
  allowOrigin,
  corsOrigins,
  gatewayCorsHeaders,
} from '../../../shared/platform/http/responses/cors.ts';
import { type GatewayResponseType, gatewayResponses } from '../../gateway-responses.ts';
import { type Preflight, preflightsFor } from '../../preflights.ts';
import { refusedMethods } from '../../refused-methods.ts';
import { type Route, routes, staticFilesLambda } from '../../routes.ts';
import { unofferedPaths } from '../../unoffered-paths.ts';
import { assetBucket, payloadBucket } from '../runtime/account.ts';
import {
  encoded,
  errorAnswer,
  filledIn,
  gatewayAnswer,
  splitOnce,
  write,
  writeRaw,
} from '../runtime/http-messages.ts';
import { invoke, LambdaTimeout } from '../runtime/invoke.ts';
import { httpServer } from '../runtime/server.ts';
import { prepareStaticFiles } from '../runtime/static-files.ts';
import { makeAdmission } from './admission.ts';
import {
  type BodyBounds,
  bodyBounds,
  bodyBytesMax,
  bodyReader,
  boundDrain,
  type ReadBody,
} from './bodies.ts';
import { boundConnections, type ConnectionBounds, connectionBounds } from './connections.ts';
import { localRouteRefusal } from './local-routes.ts';
import { toAuthorizerEvent, toProxyEvent } from './proxy-event.ts';
import { remappedHeaders } from './remapped-headers.ts';
import { responseStream } from './response-stream.ts';
import { createRouteMatcher } from './routes.ts';
import { makeRunMemory } from './run-memory.ts';

/** Handles a path that exists only in the embedded stack. */
export type LocalRoute = (
  body: string,
  event: APIGatewayProxyEvent,
) => Promise<APIGatewayProxyResult> | APIGatewayProxyResult;

interface GatewayBounds {
  bodies?: BodyBounds;
  connections?: ConnectionBounds;
}

/**
 * An emulation of API Gateway with a Lambda proxy integration for every route.
 * @param localRoutes Earlier requests wait for them.
 */
export function createGateway(
  localRoutes: Promise<Record<string, LocalRoute>>,
  { bodies = bodyBounds(), connections = connectionBounds() }: GatewayBounds = {},
): Server {
  const match = createRouteMatcher(routes);
  const preflight = (origins: readonly string[]) => createRouteMatcher(preflightsFor(origins));
  const refused = createRouteMatcher(refusedMethods);
  const unoffered = unofferedMatcher();
  const authorize = makeAuthorizer();
  const read = bodyReader(bodies);
  const admission = makeAdmission();
  const beginRun = makeRunMemory();

  /** @returns undefined if the response was already sent. */
  async function answerTo(
    request: IncomingMessage,
    response: ServerResponse,
    event: APIGatewayProxyEvent,
  ): Promise<APIGatewayProxyResult | undefined> {
    // A connection that was open before it stopped may bring further requests.
    if (!server.listening) throw stopping;
    const local = (await localRoutes)[`${event.httpMethod} ${event.path}`];
    const refusal = local && localRouteRefusal(request);
    if (refusal) return forbidden(refusal);
    if (local) {
      const body = await read(request, response);
      return Buffer.isBuffer(body) ? local(body.toString(), event) : unreadable(body, event);
    }
    if (objectPaths.some((path) => event.path.startsWith(path))) {
      passToS3(request, response);
      return undefined;
    }
    const asked =
      event.httpMethod === 'OPTIONS' ? preflight(corsOrigins())(event.httpMethod, event.path) : undefined;
    if (asked) return preflightAnswer(asked.route, request.headers.origin);
    const notAllowed = refused(event.httpMethod, event.path);
    if (notAllowed) {
      const headers = { ...notAllowed.route.headers, ...gatewayCorsHeaders };
      return { statusCode: 405, headers, body: '' };
    }
    const matched = match(event.httpMethod, event.path);
    if (!matched) {
      const other = unoffered(event.path);
      return other ? filledIn(other, event) : gatewayAnswer('MISSING_AUTHENTICATION_TOKEN', event);
    }
    const { route, pathParameters } = matched;
    event.resource = route.path;
    event.requestContext.resourcePath = route.path;
    if (Object.keys(pathParameters).length > 0) event.pathParameters = pathParameters;
    if (!route.isPublic) {
      const decision = await authorize(event);
      if ('refusal' in decision) return gatewayAnswer(decision.refusal, event);
      event.requestContext.authorizer = decision.context;
    }
    if (!route.streams && route.path !== healthPath && !response.closed)
      response.once('close', admission.begin(route.lambda, route.timeoutSeconds));
    if (route.streams && route.lambda !== staticFilesLambda) await beginWithClient(response, beginRun);
    const body = await read(request, response);
    if (!Buffer.isBuffer(body)) return unreadable(body, event);
    Object.assign(event, encoded(body, request.headers['content-type']));
    if (isEventTooLarge(event)) return eventTooLarge;
    if (!route.streams) return integrate(route, event, admission.secondsOf(route.timeoutSeconds));
    if (route.lambda !== staticFilesLambda) endWithClient(request, response);
    return streamThrough(route, event, response);
  }

  const handle = oneAtATimePerConnection((request, response) => {
    const [path = '/', query = ''] = splitOnce(targetOf(request), '?');
    const event = toProxyEvent(request, path, query);
    answerTo(request, response, event)
      .catch((error) => {
        if (error instanceof ServiceError) return errorAnswer(error);
        if (request.complete) log.error('The gateway failed', { error, path });
        return gatewayAnswer('DEFAULT_5XX', event);
      })
      .then((answer) => {
        // What passes to S3 has its body to send yet.
        if (!answer) return;
        boundDrain(request, response);
        write(response, answer, event);
      })
      .catch((error) => {
        log.error('A response could not be written', { error, path });
        response.destroy();
      });
  });
  const server = httpServer(handle, { maxHeaderSize, requestTimeout });
  boundConnections(server, connections);
  refuseMalformed(server);
  // Asks for the body once the credential is accepted.
  return server.on('checkContinue', handle);
}

/** None: the rate of a body bounds its time (`bodies.ts`), and a large file for S3 takes longer than Node's five minutes. */
const requestTimeout = 0;

/** Where objects are, in S3 and at the gateway. */
const objectPaths = [`/${payloadBucket}/`, `/${assetBucket}/`];

/**
 * Passes a request for an object on to the server of S3, which checks its signature: that server listens on the loopback address
 * alone, where neither a container's host nor another machine reaches it. Streams both ways, as files may be larger than what the
 * gateway holds.
 */
function passToS3(request: IncomingMessage, response: ServerResponse): void {
  const { host, port } = new URL(process.env.AWS_ENDPOINT_URL_S3 as string);
  const { expect, connection: _, authorization: __, ...headers } = request.headers;
  const inner = sendOn(
    { host: '127.0.0.1', port, method: request.method, path: request.url, headers: { ...headers, host } },
    (answer) => {
      // It answers before the end of a body only what it refuses.
      if (!request.complete) {
        request.unpipe(inner);
        boundDrain(request, response);
      }
      response.writeHead(answer.statusCode ?? 502, withoutHop(answer.headers));
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    },
  );
  inner.on('error', (error) => {
    if (request.complete) log.error('S3 did not answer', { error });
    response.destroy();
  });
  response.once('close', () => inner.destroy());
  if (expect) response.writeContinue();
  // Its signature is checked before its first byte comes.
  inner.flushHeaders();
  request.pipe(inner);
}

function withoutHop({ connection: _, 'keep-alive': __, ...headers }: IncomingMessage['headers']) {
  return headers;
}

/** @returns the response to all methods of a path that no route has, if it is not the one of all other paths. */
function unofferedMatcher() {
  const paths = unofferedPaths(readDefaultLimits().perHour).map((each) => ({ ...each, method: 'any' }));
  const match = createRouteMatcher(paths);
  return (path: string) => match('any', path)?.route.response;
}

/** A proxy may be sent the whole URL, whose host then replaces the header (RFC 9112, 3.2.2). */
function targetOf(request: IncomingMessage): string {
  const { url = '/' } = request;
  const [, host, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (host === undefined) return url;
  request.headers.host = host;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Who asks whether the service lives needs to know that also if it is busy. */
const healthPath = '/v1/public/health';

const stopping = new ServiceError('BUSY', 'The service is stopping. Send the request again in a moment', {
  retryAfterSeconds: 5,
});

function unreadable(reason: Exclude<ReadBody, Buffer>, event: APIGatewayProxyEvent): APIGatewayProxyResult {
  if (reason === 'unknown coding') return gatewayAnswer('UNSUPPORTED_MEDIA_TYPE', event);
  return reason === 'too large' ? bodyTooLarge : requestTooSlow();
}

async function beginWithClient(response: ServerResponse, begin: () => Promise<() => void>): Promise<void> {
  const end = await begin();
  if (response.closed) end();
  else response.once('close', end);
}

/**
 * Closes a streamed response as soon as the client closes its sending side: a client that leaves does the same, and what
 * it no longer waits for costs money.
 */
function endWithClient({ socket }: IncomingMessage, response: ServerResponse): void {
  const leave = () => response.destroy();
  if (socket.readableEnded) leave();
  socket.once('end', leave);
  response.once('close', () => socket.off('end', leave));
}

/** Invokes the streaming Lambda of a route. */
async function streamThrough(
  { lambda, timeoutSeconds }: Route,
  event: APIGatewayProxyEvent,
  response: ServerResponse,
): Promise<APIGatewayProxyResult | undefined> {
  const { requestId } = event.requestContext;
  const stream = responseStream(response, requestId);
  if (stream.destroyed) return undefined;
  try {
    if (lambda === staticFilesLambda) await prepareStaticFiles();
    await invoke(lambda.replace('.', '/'), event, timeoutSeconds, requestId, stream);
  } catch (error) {
    if (stream.destroyed) return undefined;
    log.error('A Lambda failed', { error, lambda, requestId });
    if (!response.headersSent) return gatewayAnswer('INTEGRATION_FAILURE', event);
    response.destroy();
  }
  return undefined;
}

/** Invokes the Lambda of a route: for an endpoint, the export `handler` of `functions/<group>/<verb>.ts`. */
async function integrate(
  { lambda }: Route,
  event: APIGatewayProxyEvent,
  timeoutSeconds: number,
): Promise<APIGatewayProxyResult> {
  const { requestId } = event.requestContext;
  try {
    const answer = await invoke<APIGatewayProxyEvent, APIGatewayProxyResult>(
      lambda.replace('.', '/'),
      event,
      timeoutSeconds,
      requestId,
    );
    if (!Number.isInteger(answer?.statusCode)) throw new Error('The response has no statusCode');
    if (isAnswerTooLarge(answer)) throw new Error('The response exceeds 6 MB');
    return { ...answer, ...(answer.headers && { headers: remappedHeaders(answer.headers) }) };
  } catch (error) {
    log.error('A Lambda failed', { error, lambda, requestId });
    return gatewayAnswer(
      error instanceof LambdaTimeout ? 'INTEGRATION_TIMEOUT' : 'INTEGRATION_FAILURE',
      event,
    );
  }
}

const forbidden = (details: string): APIGatewayProxyResult => ({
  statusCode: 403,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: 'Forbidden', details }),
});

const preflightAnswer = (
  { headers, origins }: Preflight,
  origin: string | undefined,
): APIGatewayProxyResult => ({
  statusCode: 204,
  headers: { ...headers, ...allowOrigin(origin, origins) },
  body: '',
});

/** Responds to what is no HTTP request as Node does by itself, with a body that says what is wrong. */
export function refuseMalformed(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Answering) => {
    // A part of another response would follow.
    if (!socket.writable || socket._httpMessage?.headersSent) socket.destroy(error);
    else writeRaw(socket, refusalOf(error.code));
  });
}

/** Node has no public member for the response that a connection sends; its own handler reads this one. */
type Answering = Socket & { _httpMessage?: ServerResponse | null };

function refusalOf(code: string | undefined) {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTooSlow();
  const { body, ...malformed } = gatewayResponses(readDefaultLimits().perHour).DEFAULT_4XX;
  return { ...malformed, body: JSON.stringify(body) };
}

type Context = NonNullable<APIGatewayAuthorizerResult['context']>;
type Ask = (event: APIGatewayRequestAuthorizerEvent) => Promise<APIGatewayAuthorizerResult>;
type Decision = { context: Context } | { refusal: GatewayResponseType };

const cachedMs = 60_000;
const cachedMax = 10_000;
const headerBytesMax = 8_192;
const timeoutSeconds = 29;

/** Runs the authorizer like API Gateway, and caches each result by the Authorization header for a minute. */
export function makeAuthorizer(ask: Ask = askLambda) {
  const cache = new Map<string, { decision: Promise<Decision>; expiresAt: number }>();

  return async function authorize(event: APIGatewayProxyEvent): Promise<Decision> {
    const sent = Object.entries(event.multiValueHeaders).flatMap(([name, values]) =>
      name.toLowerCase() === 'authorization' ? (values ?? []) : [],
    );
    const [header = ''] = sent;
    if (header === '' || sent.length > 1 || Buffer.byteLength(header) > headerBytesMax) {
      return { refusal: 'UNAUTHORIZED' };
    }
    const cached = cache.get(header);
    if (cached && cached.expiresAt > performance.now()) return cached.decision;
    const decision = decide(event, ask);
    cache.delete(header);
    cache.set(header, { decision, expiresAt: performance.now() + cachedMs });
    const [oldest] = cache.keys();
    if (cache.size > cachedMax && oldest !== undefined) cache.delete(oldest);
    // Caches policies only, not failures.
    const answer = await decision;
    if ('refusal' in answer && answer.refusal !== 'ACCESS_DENIED') cache.delete(header);
    return answer;
  };
}

const askLambda: Ask = (event) => invoke('authorizer', event, timeoutSeconds);

async function decide(event: APIGatewayProxyEvent, ask: Ask): Promise<Decision> {
  try {
    const result = await ask(toAuthorizerEvent(event));
    const allowed = result.policyDocument.Statement.every(({ Effect }) => Effect === 'Allow');
    if (!allowed) return { refusal: 'ACCESS_DENIED' };
    return { context: { ...result.context, principalId: result.principalId } };
  } catch (error) {
    if (error instanceof Error && error.message === 'Unauthorized') return { refusal: 'UNAUTHORIZED' };
    log.error('The authorizer failed', { error });
    return { refusal: 'AUTHORIZER_FAILURE' };
  }
}

const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Whether Lambda refuses the event. A character of its body takes at most 6 bytes of it, all the rest 100 KB. */
export const isEventTooLarge = (event: APIGatewayProxyEvent) =>
  (event.body?.length ?? 0) > 1_000_000 && jsonBytes(event) > eventBytesMax;

/** Whether Lambda refuses the answer of a handler. API Gateway then returns a 502. */
export const isAnswerTooLarge = (answer: APIGatewayProxyResult) => jsonBytes(answer) > answerBytesMax;

/** API Gateway returns the following as they are: its gateway response REQUEST_TOO_LARGE cannot be customized. */
const bodyTooLarge: APIGatewayProxyResult = {
  statusCode: 413,
  headers: { 'content-type': 'text; charset=utf-8' },
  body: `HTTP content length exceeded ${bodyBytesMax} bytes.`,
};
export const eventTooLarge: APIGatewayProxyResult = {
  statusCode: 413,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'BadRequestException' },
  body: '{"message": "Request Too Long"}',
};

/** An error in the form of the service, with a status that no error of the service has. */
const gatewayFailure = (statusCode: number, error: string, code: DetailCode, message: string) => ({
  statusCode,
  headers: {
    ...gatewayResponses(readDefaultLimits().perHour).DEFAULT_4XX.headers,
    ...gatewayCorsHeaders,
    'content-type': 'application/json',
    connection: 'close',
  },
  body: JSON.stringify({ error, details: [{ code, message }] }),
});

const requestTooSlow = () =>
  gatewayFailure(408, 'Request timeout', 'TIMEOUT', 'The request arrives too slowly. Send it again');

const headersTooLarge = () =>
  gatewayFailure(
    431,
    'Request header fields too large',
    'TOO_LARGE',
    `The request line and the headers have more than ${maxHeaderSize} bytes together. Send fewer or shorter headers, or a shorter query`,
  );

/** The maximum number of pending requests per connection. Further requests close it. */
const requestsMax = 1_000;

/** Handles the requests of a connection in sequence: a pipelined request waits for the response to the previous one. */
export function oneAtATimePerConnection(handle: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    const queue = queues.get(socket) ?? [];
    queues.set(socket, queue);
    queue.push(() => handle(request, response));
    response.once('close', () => {
      queue.shift();
      if (!socket.destroyed) queue[0]?.();
    });
    if (queue.length === 1) queue[0]?.();
    if (queue.length > requestsMax) socket.destroy();
  };
}
