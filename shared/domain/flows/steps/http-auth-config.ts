import * as z from 'zod';
import { HeaderName } from './http-config.ts';
import { Template } from './template-text.ts';

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
