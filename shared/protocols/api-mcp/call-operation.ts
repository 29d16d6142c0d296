import * as z from 'zod';
import { urlPart } from '../../core/text.ts';
import { IdempotencyHeaders } from '../../platform/http/idempotency-key.ts';
import type { ApiRequest } from './api-client.ts';
import type { ApiOperation } from './operations.ts';

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

export const CallArguments = z.strictObject({
  id: z.string(),
  path: z.record(z.string(), Scalar).optional(),
  query: z.record(z.string(), z.union([Scalar, z.array(Scalar)])).optional(),
  body: z.unknown().optional(),
  idempotencyKey: IdempotencyHeaders.shape['Idempotency-Key'],
});
export type CallArguments = z.infer<typeof CallArguments>;

/** The request of a call. The API checks the values; what has no place in the request is refused here. */
export function toApiRequest(
  { id, method, path, parameters, requestBody }: ApiOperation,
  given: CallArguments,
): ApiRequest | { problem: string } {
  const named = (place: 'path' | 'query') =>
    parameters.filter((each) => each.in === place).map(({ name }) => name);
  for (const place of ['path', 'query'] as const) {
    const known = named(place);
    const unknown = Object.keys(given[place] ?? {}).find((name) => !known.includes(name));
    if (unknown !== undefined) return { problem: notKnown(id, `${place}.${unknown}`, known) };
  }
  const missing = named('path').find((name) => (given.path?.[name] ?? '') === '');
  if (missing !== undefined) return { problem: `Required: path.${missing}` };
  const leaving = named('path').find((name) => /^\.\.?$/.test(String(given.path?.[name])));
  if (leaving !== undefined) return { problem: `path.${leaving} may not be . or ..` };
  const broken = [...textsOf(given.path, 'path'), ...textsOf(given.query, 'query')].find(
    ([, text]) => !text.isWellFormed(),
  );
  if (broken) return { problem: `${broken[0]} is no well-formed Unicode: half of a pair of surrogates` };
  const types = Object.keys(requestBody?.content ?? {});
  // As over HTTP, an empty object is no body.
  const body = types.length === 0 && isEmptyObject(given.body) ? undefined : given.body;
  if (body !== undefined && types.length === 0) return { problem: `${id} takes no body` };
  if (types.includes('multipart/form-data')) {
    return { problem: `${id} takes files, which this tool cannot send; use another operation` };
  }
  const filled = path.replaceAll(/\{(\w+)\+?\}/g, (_all, name: string) =>
    urlPart(String(given.path?.[name])),
  );
  const query = new URLSearchParams(
    Object.entries(given.query ?? {}).map(([name, value]) => [name, [value].flat().join(',')]),
  );
  return {
    method,
    path: query.size > 0 ? `${filled}?${query}` : filled,
    ...(body !== undefined && { body }),
    idempotencyKey: given.idempotencyKey,
  };
}

const isEmptyObject = (value: unknown) => JSON.stringify(value) === '{}';

const notKnown = (id: string, name: string, known: readonly string[]) =>
  `${id} has no ${name}; ${known.length > 0 ? `it has ${known.join(', ')}` : 'it has none'}`;

/** Each value as a text, with its place. */
const textsOf = (values: CallArguments['query'], place: string) =>
  Object.entries(values ?? {}).flatMap(([name, value]) =>
    [value].flat().map((each) => [`${place}.${name}`, String(each)] as const),
  );
