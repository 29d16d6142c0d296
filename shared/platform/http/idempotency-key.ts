import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { invalidAt } from '../../core/errors/errors.ts';
import type { AnyEndpoint } from './endpoint.ts';

const header = 'Idempotency-Key';

export const IdempotencyHeaders = z.object({
  [header]: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[!-~]+$/)
    .optional()
    .meta({
      description:
        'Any value that you make up for this request, such as a UUID: visible ASCII characters. For 24 hours, another request of the same caller with the same key, method and path does nothing and gets the first response again, with `Idempotent-Replayed: true`',
      example: '8f14e45f-ceea-467f-a0e6-3c9d1c7e2b10',
    }),
});

type Repeatable = Pick<AnyEndpoint, 'method' | 'noIdempotencyKey'>;

/** Every POST takes the key, unless it says why not. */
export const takesIdempotencyKey = ({ method, noIdempotencyKey }: Repeatable) =>
  method === 'POST' && noIdempotencyKey === undefined;

/** The key of a request; undefined if it has none, or the endpoint takes none. @throws 400 for a malformed one */
export function readIdempotencyKey(
  endpoint: Repeatable,
  { headers }: Pick<APIGatewayProxyEvent, 'headers'>,
): string | undefined {
  const key = headers[header.toLowerCase()];
  if (key === undefined || !takesIdempotencyKey(endpoint)) return undefined;
  if (IdempotencyHeaders.shape[header].safeParse(key).success) return key;
  const message = 'Expected 1 to 255 visible ASCII characters, without blanks';
  throw invalidAt(header, 'INVALID_FORMAT', message);
}
