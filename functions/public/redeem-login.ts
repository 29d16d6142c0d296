import * as z from 'zod';
import { commandLineLogins, findCodeScope } from '../../shared/domain/api-keys/command-line-logins.ts';
import { defineScope, readBodyMember } from '../../shared/platform/auth/public-scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

export const redeemLogin = defineEndpoint({
  id: 'public.redeem-login',
  method: 'POST',
  path: '/v1/public/command-line-logins',
  noIdempotencyKey: 'A code works once',
  permission: 'public',
  scope: defineScope({
    what: 'Login',
    uses: ['table:read'],
    from: (event, runtime) => findCodeScope(readBodyMember(event, 'code'), runtime),
    limit: { per: 'address', perHour: 100, perDay: 1_000 },
  }),
  summary: 'Get the API key of a login',
  description:
    'Called by the command line with the code of a login that a person allowed (POST /v1/api-keys/command-line-logins). Creates the API key and returns it once. 404 for a code that is wrong, used or expired, and for a wrong verifier, which ends the code. 409 if the tenant has 200 keys.',
  body: z.strictObject({
    code: z.string().min(1).max(200),
    codeVerifier: z
      .string()
      .regex(/^[\w.~-]{43,128}$/, 'Expected a code verifier')
      .meta({ description: 'The code verifier of RFC 7636' }),
  }),
  response: {
    kind: 'json',
    bodies: {
      201: z.object({
        id: z.string(),
        name: z.string(),
        permissions: z.array(z.string()),
        plainKey: z.string(),
        userId: z.string().meta({ description: 'Who allowed the login, and has the key' }),
        organizationId: z.string().nullable(),
      }),
    },
  },
  errors: [400, 404, 409],
  needs: { logins: commandLineLogins },

  async handle({ body, sourceIp }, { logins }) {
    const { apiKey, plainKey } = await logins.redeem(body, sourceIp);
    return { ...apiKey, plainKey };
  },
});

export const handler = toLambda(redeemLogin);
