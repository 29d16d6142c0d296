import * as z from 'zod';
import { Template, TemplatedJson } from './template-text.ts';

export const HeaderName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'Not the name of a header');
export const Headers = z.record(HeaderName, Template);
export const Method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

export const bodyOfGet = 'A GET request has no body';

/** A request as a step's config has it. */
export const Http = z
  .strictObject({
    url: Template.min(1),
    method: Method.optional().meta({ description: 'GET without it' }),
    headers: Headers.optional(),
    body: TemplatedJson.optional().meta({ description: 'Text or any JSON; texts in it are templates' }),
    timeout: z.int().min(1).max(300_000).optional().meta({ description: 'Milliseconds; 30,000 without it' }),
  })
  .refine(({ method = 'GET', body }) => method !== 'GET' || body === undefined, {
    path: ['body'],
    message: bodyOfGet,
  });
export type Http = z.infer<typeof Http>;
