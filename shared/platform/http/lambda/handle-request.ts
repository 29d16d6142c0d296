/**
 * From an event of API Gateway to the result of an endpoint's handler: body, parameters, needs, handler, response schema, with
 * the idempotency key around it.
 *
 * `answerRequest` wraps the answer with what is kept for its key; `runEndpoint` is the answer itself. Bodies are decoded by
 * their declared type (JSON, multipart, form) and refused before validation if they are too large, too deep, or hold numbers
 * that no double holds. A handler that lasts has a place of its tenant, which is acquired first or by itself (`takesPlace`), and
 * released when its body has been sent (`context.released`).
 *
 * `lambda.ts` calls both once the request gate has admitted the request, or beside it for reads.
 */

import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { invalid, invalidAt, ServiceError, tooLarge } from '../../../core/errors/errors.ts';
import { mayBeInexact, parseExact } from '../../../core/json/exact-json.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import { assertValueCount } from '../../../core/json/value-count.ts';
import { plainStart, urlPart } from '../../../core/text.ts';
import {
  decodeAs,
  decodeUnnamed,
  parseCharset,
  replacementCharacter,
  resolveEncoding,
} from '../../../core/text-encoding.ts';
import { resolveNeeds } from '../../data/scope.ts';
import { buildBaseUrl } from '../base-url.ts';
import { takesKnownQuery } from '../declared-statuses.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { answerIdempotently } from '../idempotency/once.ts';
import { nameCaller } from '../idempotency/request-names.ts';
import { readIdempotencyKey } from '../idempotency-key.ts';
import { assertExactJson, assertNotTooDeep, assertSafeNames, createTooDeep } from '../json-body.ts';
import type { OpenRequest } from '../open-requests.ts';
import { countEscapedBytes, requestBytesMax } from '../responses/body-sizes.ts';
import type { LoggedRun } from '../responses/streamed-body.ts';
import { EmptyBody, parseOrReject } from '../validation.ts';
import { type CallContext, type Lasting, requireAdmission } from './admission.ts';
import { toFailureResult, toProxyResult } from './proxy-result.ts';

/** The answer to a request; with an idempotency key, that to the first one. */
export async function answerRequest(
  endpoint: AnyEndpoint,
  event: APIGatewayProxyEvent,
  context: CallContext,
  lasting: Lasting | undefined,
  answer: (run?: LoggedRun) => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  const { principal, scope, caller } = context;
  const key = readIdempotencyKey(endpoint, event);
  const callerName = principal ? nameCaller(principal) : caller;
  if (key === undefined || !scope || callerName === undefined) return answer();
  const toFailure = (error: unknown) => toFailureResult(endpoint, error, event.requestContext.requestId);
  const open = async () => {
    await parseBody(endpoint, event);
    return lasting?.openRequest(scope, endpoint, parseRequest(endpoint, event));
  };
  const request = { endpoint, event, scope, caller: callerName, key, toFailure, open };
  const { result, kept } = await answerIdempotently(request, answer);
  if (kept) context.released = Promise.all([context.released, kept]);
  return result;
}

interface Answering {
  signal: AbortSignal;
  lasting: Lasting | undefined;
  /** That an earlier request with the same idempotency key began. */
  run: LoggedRun | undefined;
}

export async function runEndpoint(
  endpoint: AnyEndpoint,
  event: APIGatewayProxyEvent,
  context: CallContext,
  { signal, lasting, run }: Answering,
): Promise<APIGatewayProxyResult> {
  const { principal, scope, admission, refused } = context;
  await parseBody(endpoint, event);
  const { awsRequestId: requestId, getRemainingTimeInMillis: timeLeftMs } = context;
  const baseUrl = () => buildBaseUrl(endpoint.path, event.requestContext);
  const usage = async () => (await admission)?.windows;
  const permissions = () => requireAdmission(admission);
  const request = {
    ...parseRequest(endpoint, event),
    principal,
    signal,
    timeLeftMs,
    requestId,
    sourceIp: event.requestContext.identity?.sourceIp ?? null,
    baseUrl,
    usage,
    permissions,
    header: (name: string) => event.headers?.[name],
  };
  const table = refused ? scope?.table.until(refused) : scope?.table;
  const later = endpoint.takesPlace && scope && lasting?.openLater?.(scope);
  let opened: OpenRequest | undefined = later;
  const releasePlace = () => opened?.releaseIn();
  const places = lasting && { releasePlace, ...(later && { place: later.place }) };
  const needs = scope && table && resolveNeeds(endpoint.needs, { ...scope, table, signal, ...places });
  endpoint.readAhead?.(request, needs);
  opened ??= scope && (await lasting?.openRequest(scope, endpoint, request));
  const handle = () =>
    run ? endpoint.follow?.(request, needs, run) : endpoint.handle(request as never, needs as never);
  const reply = await handleAndRelease(handle, opened, context);
  return toProxyResult(endpoint.response, reply, request.header('if-none-match'));
}

/** Handles a request, and gives its place back in the end. */
async function handleAndRelease(
  handle: () => unknown,
  opened: OpenRequest | undefined,
  context: CallContext,
): Promise<unknown> {
  try {
    const reply = await handle();
    context.released = opened?.releaseAfter(reply);
    return reply;
  } catch (error) {
    context.released = opened?.releaseAfter(undefined);
    throw error;
  }
}

/** The parameters, the query and the body of a request, as the endpoint declares them. @throws 400 */
function parseRequest(endpoint: AnyEndpoint, event: APIGatewayProxyEvent) {
  const { params, query, body, needsBody, method } = endpoint;
  const input = {
    params: decodeParameters(event.pathParameters ?? {}),
    query: event.queryStringParameters ?? {},
    body: event.body ?? undefined,
  };
  assertKnownQuery(endpoint, Object.keys(input.query));
  return {
    params: params && parseOrReject(params, input.params),
    query: query && parseOrReject(query, input.query),
    body: body
      ? parseOrReject(body, needsBody ? event.body : (input.body ?? {}))
      : method !== 'GET' && parseOrReject(EmptyBody, input.body),
  };
}

/** A filter with a wrong name would give everything (D23). */
function assertKnownQuery(endpoint: AnyEndpoint, sent: readonly string[]) {
  if (!takesKnownQuery(endpoint)) return;
  const { query } = endpoint;
  const names = Object.keys(query?.shape ?? {});
  const unknown = sent.filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  const have = names.length > 0 ? `The parameters are ${names.join(', ')}` : 'It has no parameters';
  throw invalid(
    unknown.map((path) => ({
      path,
      code: 'UNKNOWN_MEMBER',
      message: `"${plainStart(path, 100)}" is not a query parameter of this operation. ${have}`,
    })),
  );
}

/** API Gateway passes path parameters percent-encoded. */
const decodeParameters = (parameters: Record<string, string | undefined>) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value ?? '')];
      } catch {
        return [name, value];
      }
    }),
  );

/** Replaces the body of a request by what it means. @throws 400, 413 and 415 */
async function parseBody(
  { bodyType = 'json', method, exactNumbers }: AnyEndpoint,
  event: APIGatewayProxyEvent,
): Promise<void> {
  const text = method === 'GET' ? '' : (event.body ?? '');
  const bytes = event.isBase64Encoded ? text.length : countEscapedBytes(text);
  if (bytes > requestBytesMax) throw tooLarge(describeTooLarge(bodyType));
  const body = text === '' ? undefined : await readers[bodyType](event, exactNumbers);
  Object.assign(event, { body });
}

type Sent = Pick<APIGatewayProxyEvent, 'headers' | 'body' | 'isBase64Encoded'>;

const readers = {
  json: parseJsonBody,
  multipart: parseMultipartBody,
  'json-or-form': (event: Sent, exactNumbers?: true) =>
    wrapInput(isForm(event) ? parseUrlencodedBody(event, exactNumbers) : parseJsonBody(event, exactNumbers)),
};

/** An event that is a list, a text, a number or a boolean is in `_input`, as are members without a name of a variable. */
const wrapInput = (body: unknown): unknown =>
  isJsonObject(body) || body === null || body === undefined ? body : { _input: body };

const inJson = 'inside a JSON string, where a quote, a backslash or a line break counts twice';
const countedAs = {
  json: inJson,
  'json-or-form': inJson,
  multipart: 'in Base64, which adds a third',
};
const describeTooLarge = (bodyType: keyof typeof countedAs) =>
  `The body takes more than ${requestBytesMax} bytes ${countedAs[bodyType]}. ${bodyType === 'multipart' ? 'Split it, or send the file to /v1/imports, which takes any size' : 'Split it into several requests'}`;

const unsupportedMediaType = (expected: string) =>
  new ServiceError('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${expected}`);

const parseJson = httpJsonBodyParser().before as (request: { event: object }) => void;

/** Parses a JSON body; `undefined` if there is none. @throws ServiceError VALIDATION, UNSUPPORTED_MEDIA_TYPE */
export function parseJsonBody({ headers, body, isBase64Encoded }: Sent, exactNumbers?: true): unknown {
  // API Gateway has already decoded the text as UTF-8, whatever the charset.
  const encoding = parseCharset(headers['content-type']) ?? 'utf-8';
  if (!/^utf-?8$/i.test(encoding)) throw unsupportedMediaType('application/json in UTF-8');
  // Programs on Windows begin a text with a byte order mark.
  const text = (isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '')).replace(
    /^\uFEFF/,
    '',
  );
  assertValueCount(text);
  if (exactNumbers) assertSafeNames(text);
  else assertExactJson(text);
  const parsed: Pick<APIGatewayProxyEvent, 'headers' | 'body'> = { headers, body: text };
  try {
    parseJson({ event: parsed });
  } catch (error) {
    const status = (error as { statusCode?: number }).statusCode;
    if (status === 415) throw unsupportedMediaType('application/json');
    if (status === undefined) throw error;
    const { message, data } = ((error as Error).cause ?? {}) as { message?: string; data?: unknown };
    if (message === undefined) {
      throw invalidAt(
        '',
        'FORBIDDEN_MEMBER',
        `The name ${String(data).slice(0, 100)} is not allowed in a body`,
      );
    }
    if (message.startsWith('Maximum call stack')) throw createTooDeep();
    throw invalidAt('', 'MALFORMED_JSON', `The body is not valid JSON: ${removeExcerpt(message)}`);
  }
  assertNotTooDeep(parsed.body);
  return exactNumbers && mayBeInexact(text) ? parseExact(text) : parsed.body;
}

/** The parser's message without its excerpt of the body, which may contain a secret. */
const removeExcerpt = (message: string) => message.replace(/, (?:\.\.\.)?".*$/s, '');

const isForm = ({ headers }: Sent) =>
  /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers['content-type'] ?? '');

/**
 * The fields of a form; of several with a name, a list. A form of the one field `payload` is the JSON in it, as GitHub and Slack send
 * events. @throws 400
 */
function parseUrlencodedBody({ headers, body }: Sent, exactNumbers?: true): unknown {
  const fields = parseFormFields(body ?? '', headers['content-type'] ?? '');
  const [[name, value] = [], another] = fields;
  if (name === 'payload' && another === undefined)
    return parseJsonBody(
      { headers: { 'content-type': 'application/json' }, body: value ?? '', isBase64Encoded: false },
      exactNumbers,
    );
  if (fields.some(([field]) => field === '__proto__'))
    throw invalidAt('', 'FORBIDDEN_MEMBER', 'The name __proto__ is not allowed in a body');
  const byName = Map.groupBy(fields, ([field]) => field);
  return Object.fromEntries(
    [...byName].map(([field, all]) => [field, all.length === 1 ? all[0]?.[1] : all.map(([, text]) => text)]),
  );
}

/** In UTF-8 unless the media type names another encoding, or the bytes show one. */
function parseFormFields(body: string, contentType: string): [string, string][] {
  const named = parseCharset(contentType);
  const fields = [...new URLSearchParams(body)];
  const isUtf8 = named === undefined || /^utf-?8$/i.test(named);
  if (isUtf8 && !fields.flat().some((text) => text.includes(replacementCharacter))) return fields;
  // Each byte becomes one character of its own first: the encoding is that of the whole form.
  const marked = body.replaceAll(/%([89a-f][0-9a-f])/gi, (_, hex) =>
    urlPart(String.fromCharCode(firstMark + Number.parseInt(hex, 16))),
  );
  const raw = [...new URLSearchParams(marked)];
  const encoding = isUtf8
    ? decodeUnnamed(restoreBytes(raw.flat().join('\n')))?.encoding
    : resolveEncoding(named);
  if (encoding === undefined && !isUtf8)
    throw unsupportedMediaType('application/x-www-form-urlencoded in UTF-8');
  if (encoding === undefined) return fields;
  const decodeText = (text: string) => decodeAs(restoreBytes(text), encoding).text;
  return raw.map(([name, value]) => [decodeText(name), decodeText(value)]);
}

/** Of characters for private use, which stand for bytes. */
const firstMark = 0xe000;

function restoreBytes(text: string): Buffer {
  const bytes = Buffer.alloc(3 * text.length);
  let end = 0;
  for (const char of text) {
    const value = char.charCodeAt(0) - firstMark;
    end += value >= 0x80 && value <= 0xff ? bytes.writeUInt8(value, end) - end : bytes.write(char, end);
  }
  return bytes.subarray(0, end);
}

async function parseMultipartBody(event: Sent): Promise<unknown> {
  const contentType = event.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType)) throw unsupportedMediaType('multipart/form-data');
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  try {
    // `Response` copies a buffer, but not a stream.
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes);
        controller.close();
      },
    });
    const form = await new Response(stream, { headers: { 'content-type': contentType } }).formData();
    return Object.fromEntries(form);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalidAt('', 'MALFORMED_MULTIPART', 'The body is not valid multipart/form-data');
  }
}
