import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { invalidAt, ServiceError, tooLarge } from '../../../core/errors/errors.ts';
import { assertValueCount } from '../../../core/json/value-count.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { assertExactJson, assertNotTooDeep, tooDeep } from '../json-body.ts';
import { escapedBytes, requestBytesMax } from '../responses/body-sizes.ts';

/** Replaces the body of a request by what it means. @throws 400, 413 and 415 */
export async function parseBody(
  { bodyType = 'json', method }: AnyEndpoint,
  event: APIGatewayProxyEvent,
): Promise<void> {
  const text = method === 'GET' ? '' : (event.body ?? '');
  const bytes = event.isBase64Encoded ? text.length : escapedBytes(text);
  if (bytes > requestBytesMax) throw tooLarge(bodyTooLarge(bodyType));
  const body = text === '' ? undefined : await readers[bodyType](event);
  Object.assign(event, { body });
}

type Sent = Pick<APIGatewayProxyEvent, 'headers' | 'body' | 'isBase64Encoded'>;

const readers = {
  json: parseJsonBody,
  multipart: formBody,
  'json-or-form': (event: Sent) => (isForm(event) ? urlencodedBody(event) : parseJsonBody(event)),
};

const inJson = 'inside a JSON string, where a quote, a backslash or a line break counts twice';
const countedAs = {
  json: inJson,
  'json-or-form': inJson,
  multipart: 'in Base64, which adds a third',
};
const bodyTooLarge = (bodyType: keyof typeof countedAs) =>
  `The body takes more than ${requestBytesMax} bytes ${countedAs[bodyType]}. Split it into several requests`;

const unsupportedMediaType = (expected: string) =>
  new ServiceError('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${expected}`);

const parseJson = httpJsonBodyParser().before as (request: { event: object }) => void;
const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

/** Parses a JSON body; `undefined` if there is none. @throws ServiceError VALIDATION, UNSUPPORTED_MEDIA_TYPE */
export function parseJsonBody({ headers, body, isBase64Encoded }: Sent): unknown {
  // API Gateway has already decoded the text as UTF-8, whatever the charset.
  const encoding = charset.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(encoding)) throw unsupportedMediaType('application/json in UTF-8');
  // Programs on Windows begin a text with a byte order mark.
  const text = (isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '')).replace(
    /^\uFEFF/,
    '',
  );
  assertValueCount(text);
  assertExactJson(text);
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
    if (message.startsWith('Maximum call stack')) throw tooDeep();
    throw invalidAt('', 'MALFORMED_JSON', `The body is not valid JSON: ${unquoted(message)}`);
  }
  assertNotTooDeep(parsed.body);
  return parsed.body;
}

/** The parser's message without its excerpt of the body, which may contain a secret. */
const unquoted = (message: string) => message.replace(/, (?:\.\.\.)?".*$/s, '');

const isForm = ({ headers }: Sent) =>
  /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers['content-type'] ?? '');

/**
 * The fields of a form; of several with a name, a list. A form of the one field `payload` is the JSON in it, as GitHub and Slack send
 * events. @throws 400
 */
function urlencodedBody({ body }: Sent): unknown {
  const fields = [...new URLSearchParams(body ?? '')];
  const [[name, value] = [], another] = fields;
  if (name === 'payload' && another === undefined)
    return parseJsonBody({
      headers: { 'content-type': 'application/json' },
      body: value ?? '',
      isBase64Encoded: false,
    });
  if (fields.some(([field]) => field === '__proto__'))
    throw invalidAt('', 'FORBIDDEN_MEMBER', 'The name __proto__ is not allowed in a body');
  const byName = Map.groupBy(fields, ([field]) => field);
  return Object.fromEntries(
    [...byName].map(([field, all]) => [field, all.length === 1 ? all[0]?.[1] : all.map(([, text]) => text)]),
  );
}

async function formBody(event: Sent): Promise<unknown> {
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
