import * as z from 'zod';
import { commandLineLogins } from '../../shared/domain/api-keys/command-line-logins.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { assertGrantable, Permissions } from './schemas.ts';

export const allowLogin = defineEndpoint({
  id: 'api-keys.allow-login',
  method: 'POST',
  path: '/v1/api-keys/command-line-logins',
  permission: 'API_KEYS:WRITE',
  sessionOnly: true,
  summary: 'Allow a login of the command line',
  description:
    'Requires a session: the console calls it when a person allows `agent-flow login`. Returns a code for one API key with these permissions. The program that knows the verifier of the challenge gets the key for the code from POST /v1/public/command-line-logins, within two minutes. 409 if the tenant has 200 keys.',
  body: z.strictObject({
    challenge: z
      .string()
      .regex(/^[\w-]{43}$/, 'Expected a SHA-256 hash as base64url')
      .meta({ description: 'The code challenge of RFC 7636, by the method S256' }),
    host: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'Expected the name of a computer')
      .meta({ description: 'The computer, as it names itself. The name of the key contains it' }),
    permissions: Permissions.min(1),
  }),
  response: {
    kind: 'json',
    bodies: {
      201: z.object({
        code: z.string().meta({ description: 'Works once' }),
        expiresAt: z.string(),
      }),
    },
  },
  shownOnce: ['code'],
  errors: [400, 409],
  needs: { logins: commandLineLogins },

  handle({ body, principal }, { logins }) {
    assertGrantable(principal, body.permissions);
    return logins.allow(principal, body);
  },
});

export const handler = toLambda(allowLogin);
