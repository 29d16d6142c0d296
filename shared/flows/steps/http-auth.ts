import * as z from 'zod';
import type { StepRun } from '../step.ts';
import { Template } from '../templates.ts';
import { HeaderName } from './http-request.ts';

const NoAuth = z.strictObject({ type: z.literal('none') });
export const BearerAuth = z.strictObject({ type: z.literal('bearer'), token: Template.min(1) });

/** How a request shows who sends it. */
export const Auth = z.discriminatedUnion('type', [
  NoAuth,
  BearerAuth,
  z.strictObject({ type: z.literal('basic'), username: Template, password: Template }),
  z.strictObject({
    type: z.enum(['api_key', 'custom_header']),
    token: Template.min(1),
    headerName: HeaderName.optional().meta({ description: 'X-API-Key without it' }),
  }),
]);
export type Auth = z.infer<typeof Auth>;

/** The headers that carry it. */
export async function authorization(
  auth: Auth | undefined,
  render: StepRun<unknown>['render'],
): Promise<Record<string, string>> {
  switch (auth?.type) {
    case 'bearer':
      return { authorization: `Bearer ${await render(auth.token)}` };
    case 'basic': {
      const pair = `${await render(auth.username)}:${await render(auth.password)}`;
      return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    }
    case 'api_key':
    case 'custom_header':
      return { [(auth.headerName ?? 'X-API-Key').toLowerCase()]: await render(auth.token) };
    default:
      return {};
  }
}
