import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { parseExact } from '../../../core/json/exact-json.ts';
import { toSortedJson } from '../../../core/json/sorted-json.ts';
import { textHasTooManyValues } from '../../../core/json/value-count.ts';
import type { Principal } from '../../identity/principal.ts';
import type { AnyEndpoint } from '../endpoint.ts';

/** Who uses keys of their own. An API key stays the same caller when it is regenerated. */
export const nameCaller = ({ kind, keyId, hash, userId }: Principal) => `${kind} ${keyId ?? hash ?? userId}`;

/** The name under which the answer to a request is kept: the key itself may be a secret of the caller. */
export const nameAnswer = (caller: string, { method, path }: AnyEndpoint, params: object, key: string) =>
  hashContent([caller, method, path, params, key]);

/**
 * Equal for requests with a key that ask for the same. The order of the members of JSON does not count. The key, which is
 * not stored, keeps others from guessing a secret in the body.
 */
export function requestFingerprint(
  key: string,
  { bodyType = 'json' }: Pick<AnyEndpoint, 'bodyType'>,
  { body, headers, isBase64Encoded, queryStringParameters }: APIGatewayProxyEvent,
): string {
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  const content =
    bodyType === 'json' ? normaliseJson(bytes) : removeBoundary(bytes, headers['content-type'] ?? '');
  return hashContent([key, content, queryStringParameters ?? {}]);
}

/** Clients separate the parts of a form by another text in each request. */
function removeBoundary(bytes: Buffer, contentType: string): string {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  const text = bytes.toString('latin1');
  return boundary === undefined ? text : text.replaceAll(`--${boundary}`, '--');
}

/** Text that is no JSON, too deep or too much to be accepted is compared as it is. */
function normaliseJson(bytes: Buffer): string {
  const text = bytes.toString();
  if (textHasTooManyValues(text)) return text;
  try {
    return toSortedJson(parseExact(text));
  } catch {
    return text;
  }
}

const hashContent = (content: unknown) =>
  createHash('sha256').update(toSortedJson(content)).digest('base64url');
