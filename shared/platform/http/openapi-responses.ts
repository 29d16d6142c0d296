import * as z from 'zod';
import { detailCodes } from '../../core/error-codes.ts';
import { textStatuses } from './http-errors.ts';
import { type Components, eventStreamOf, type Json, schemaOf } from './openapi-schemas.ts';
import type { Bodies, EndpointResponse } from './response.ts';

const codesText = Object.entries(detailCodes).map(([code, meaning]) => `- \`${code}\`: ${meaning}`);
const ErrorDetail = z
  .object({
    path: z.string().optional().describe('What is wrong: a dotted path into the body, or a parameter'),
    code: z.string().describe(`What is wrong with it. More codes may be added.\n\n${codesText.join('\n')}`),
    message: z.string(),
  })
  .meta({ id: 'ErrorDetail' });
const ErrorBody = z.object({ error: z.string(), details: z.array(ErrorDetail) }).meta({ id: 'Error' });
const AccessError = z
  .object({
    error: z.string(),
    details: z.string(),
    code: z.string().optional().describe('Where the reason has a code: see `ErrorDetail`'),
  })
  .meta({ id: 'AccessError' });

const errorMeanings: Record<number, string> = {
  400: 'The request is not valid; `details` names each culprit by its path',
  401: 'The API key is invalid or missing',
  403: 'The credential lacks the permission',
  404: 'There is no such resource in the caller’s tenant',
  409: 'The state of the resource, or a concurrent change, does not allow this',
  413: 'The body is too large',
  415: 'The body has another media type than the operation takes',
  422: 'The request is well formed, but there is nothing to run',
  429: 'The hourly or daily limit is reached; `X-RateLimit-Reset` says until when',
  500: 'A fault of the service; `details` holds the request’s id',
  503: 'Too busy to begin, or the time was too short for all of the work; `details` says which, and how much is done: send the request again',
  504: 'The request took too long and was ended; what it has written by then stays',
};

const rateLimitHeaders = {
  'X-RateLimit-Limit': { description: 'Requests allowed in the window', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Requests left in it', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'Unix second at which it begins anew', schema: { type: 'integer' } },
};

/** @param isCounted Whether requests have rate limits, which each answer tells in its headers. */
export const responsesOf = (
  response: EndpointResponse,
  failures: readonly number[],
  isCounted: boolean,
  schemas: Components,
) =>
  Object.fromEntries([
    ...successes(response, schemas).map(([status, content]) => [status, success(status, content, isCounted)]),
    ...failures.map((status) => [status, failure(status, isCounted, schemas)]),
  ]);

/** The content of each status that is a success; of none, where it has no body. */
function successes(
  response: EndpointResponse,
  schemas: Components,
): [status: number, content: Json | undefined][] {
  const json = (schema: z.ZodType) => ({
    'application/json': { schema: schemaOf(schema, 'output', schemas) },
  });
  const whole = (bodies: Bodies = {}) =>
    Object.entries(bodies).map(([status, schema]): [number, Json | undefined] => [
      Number(status),
      status === '204' ? undefined : json(schema),
    ]);
  switch (response.kind) {
    case 'text':
      return [[200, { [response.mediaType]: { schema: { type: 'string' } } }]];
    case 'json':
      return whole(response.bodies);
    case 'stream': {
      const schema = schemaOf(response.body, 'output', schemas);
      return [[200, { [response.mediaType]: { schema } }], ...whole(response.bodies)];
    }
    case 'sse': {
      // First, since generators that know one answer only take the first.
      const inOne = response.json && json(response.json);
      return [[200, { ...inOne, 'text/event-stream': eventStreamOf(response.events, schemas) }]];
    }
  }
}

const success = (status: number, content: Json | undefined, isCounted: boolean) => ({
  description: status === 204 ? 'Done; no body' : 'Done',
  ...(isCounted && { headers: rateLimitHeaders }),
  ...(content && { content }),
});

const errorBodyOf = (status: number) => (textStatuses.includes(status) ? AccessError : ErrorBody);

const failure = (status: number, isCounted: boolean, schemas: Components) => ({
  description: errorMeanings[status] ?? '',
  ...((isCounted || status === 429) && { headers: rateLimitHeaders }),
  content: { 'application/json': { schema: schemaOf(errorBodyOf(status), 'output', schemas) } },
});
