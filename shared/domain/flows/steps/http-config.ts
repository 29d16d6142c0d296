import * as z from 'zod';
import { Template, TemplatedJson } from './template-text.ts';

export const HeaderName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'Expected a valid header name');
export const Headers = z.record(HeaderName, Template);
export const Method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Whether a request only reads, by its method. */
export const isSafe = (method: z.output<typeof Method> = 'GET') => method === 'GET';

export const bodyOfGet = 'A GET request has no body; remove it or choose another method';

export const Http = z
  .strictObject({
    url: Template.min(1),
    method: Method.optional().meta({ description: 'Default: GET' }),
    headers: Headers.optional(),
    body: TemplatedJson.optional().meta({ description: 'A text or any JSON; texts are templates' }),
    timeout: z.int().min(1).max(300_000).optional().meta({ description: 'Milliseconds. Default: 30,000' }),
  })
  .refine(({ method = 'GET', body }) => method !== 'GET' || body === undefined, {
    path: ['body'],
    message: bodyOfGet,
  });
export type Http = z.infer<typeof Http>;
