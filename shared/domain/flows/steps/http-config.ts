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

const NoAuth = z.strictObject({ type: z.literal('none') });
export const BearerAuth = z.strictObject({ type: z.literal('bearer'), token: Template.min(1) });

export const Auth = z.discriminatedUnion('type', [
  NoAuth,
  BearerAuth,
  z.strictObject({ type: z.literal('basic'), username: Template, password: Template }),
  z.strictObject({
    type: z.enum(['api_key', 'custom_header']),
    token: Template.min(1),
    headerName: HeaderName.optional().meta({ description: 'Default: X-API-Key' }),
  }),
]);
export type Auth = z.infer<typeof Auth>;

/** The address of a server of others. Credentials in it would be stored and shown in the clear. */
export const ServerUrl = z
  .url({
    protocol: /^https?$/,
    abort: true,
    error: 'Expected an address that begins with https:// or http://',
  })
  .max(2_000)
  .refine((text) => {
    const { username, password } = new URL(text);
    return username === '' && password === '';
  }, 'Expected an address without a user name and a password; send them as auth');
