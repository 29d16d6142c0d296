import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { invalidAt, ServiceError, tooLarge } from '../../../core/errors/errors.ts';
import { mayBeInexact, parseExact } from '../../../core/json/exact-json.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import { assertValueCount } from '../../../core/json/value-count.ts';
import { urlPart } from '../../../core/text.ts';
import {
  decodeAs,
  decodeUnnamed,
  knownEncoding,
  namedCharset,
  replacementCharacter,
} from '../../../core/text-encoding.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { assertExactJson, assertNotTooDeep, assertSafeNames, tooDeep } from '../json-body.ts';
import { escapedBytes, requestBytesMax } from '../responses/body-sizes.ts';

/** Replaces the body of a request by what it means. @throws 400, 413 and 415 */
export async function parseBody(
  { bodyType = 'json', method, exactNumbers }: AnyEndpoint,
  event: APIGatewayProxyEvent,
): Promise<void> {
  const text = method === 'GET' ? '' : (event.body ?? '');
  const bytes = event.isBase64Encoded ? text.length : escapedBytes(text);
  if (bytes > requestBytesMax) throw tooLarge(bodyTooLarge(bodyType));
  const body = text === '' ? undefined : await readers[bodyType](event, exactNumbers);
  Object.assign(event, { body });
}

type Sent = Pick<APIGatewayProxyEvent, 'headers' | 'body' | 'isBase64Encoded'>;

const readers = {
  json: parseJsonBody,
  multipart: formBody,
  'json-or-form': (event: Sent, exactNumbers?: true) =>
    withMembers(isForm(event) ? urlencodedBody(event, exactNumbers) : parseJsonBody(event, exactNumbers)),
};

/** An event that is a list, a text, a number or a boolean is in `_input`, as are members without a name of a variable. */
const withMembers = (body: unknown): unknown =>
  isJsonObject(body) || body === null || body === undefined ? body : { _input: body };

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

/** Parses a JSON body; `undefined` if there is none. @throws ServiceError VALIDATION, UNSUPPORTED_MEDIA_TYPE */
export function parseJsonBody({ headers, body, isBase64Encoded }: Sent, exactNumbers?: true): unknown {
  // API Gateway has already decoded the text as UTF-8, whatever the charset.
  const encoding = namedCharset(headers['content-type']) ?? 'utf-8';
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
    if (message.startsWith('Maximum call stack')) throw tooDeep();
    throw invalidAt('', 'MALFORMED_JSON', `The body is not valid JSON: ${unquoted(message)}`);
  }
  assertNotTooDeep(parsed.body);
  return exactNumbers && mayBeInexact(text) ? parseExact(text) : parsed.body;
}

/** The parser's message without its excerpt of the body, which may contain a secret. */
const unquoted = (message: string) => message.replace(/, (?:\.\.\.)?".*$/s, '');

const isForm = ({ headers }: Sent) =>
  /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers['content-type'] ?? '');

/**
 * The fields of a form; of several with a name, a list. A form of the one field `payload` is the JSON in it, as GitHub and Slack send
 * events. @throws 400
 */
function urlencodedBody({ headers, body }: Sent, exactNumbers?: true): unknown {
  const fields = formFields(body ?? '', headers['content-type'] ?? '');
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
function formFields(body: string, contentType: string): [string, string][] {
  const named = namedCharset(contentType);
  const fields = [...new URLSearchParams(body)];
  const isUtf8 = named === undefined || /^utf-?8$/i.test(named);
  if (isUtf8 && !fields.flat().some((text) => text.includes(replacementCharacter))) return fields;
  // Each byte becomes one character of its own first: the encoding is that of the whole form.
  const marked = body.replaceAll(/%([89a-f][0-9a-f])/gi, (_, hex) =>
    urlPart(String.fromCharCode(firstMark + Number.parseInt(hex, 16))),
  );
  const raw = [...new URLSearchParams(marked)];
  const encoding = isUtf8 ? decodeUnnamed(unmarked(raw.flat().join('\n')))?.encoding : knownEncoding(named);
  if (encoding === undefined && !isUtf8)
    throw unsupportedMediaType('application/x-www-form-urlencoded in UTF-8');
  if (encoding === undefined) return fields;
  const decoded = (text: string) => decodeAs(unmarked(text), encoding).text;
  return raw.map(([name, value]) => [decoded(name), decoded(value)]);
}

/** Of characters for private use, which stand for bytes. */
const firstMark = 0xe000;

function unmarked(text: string): Buffer {
  const bytes = Buffer.alloc(3 * text.length);
  let end = 0;
  for (const char of text) {
    const value = char.charCodeAt(0) - firstMark;
    end += value >= 0x80 && value <= 0xff ? bytes.writeUInt8(value, end) - end : bytes.write(char, end);
  }
  return bytes.subarray(0, end);
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
