import * as z from 'zod';
import { SecretKey } from '../../shared/core/secret-references.ts';
import { isConfigured } from '../../shared/domain/secrets/secret-requests.ts';
import { secretStore } from '../../shared/domain/secrets/secret-store.ts';
import { setupLinkTokens } from '../../shared/domain/secrets/setup-link-tokens.ts';
import { SetupLinkContext } from '../../shared/platform/auth/setup-link.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

export const secretsSetupUrl = defineEndpoint({
  id: 'secrets.setup-url',
  method: 'POST',
  path: '/v1/secrets/setup-url',
  permission: 'SECRETS:WRITE',
  summary: 'Create a setup link for secret values',
  description:
    'The link opens a page on which a person enters the values of the given keys that are missing, pending or revoked. It is valid for 24 hours, or until all of them have values, and cannot replace existing values. Anyone with the link can enter the values, so share it carefully; it is not returned again. Append `&returnUrl=<encoded https address>` to show a link back at the end. `url` is null if nothing is missing. The page shows `context`.',
  body: z.strictObject({
    keys: z.array(SecretKey).min(1).max(50),
    context: SetupLinkContext.optional(),
  }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        url: z.string().nullable(),
        missing: z.array(z.string()),
        revoked: z.array(z.string()),
        alreadyConfigured: z.array(z.string()),
      }),
    },
  },
  shownOnce: ['url'],
  errors: [400],
  needs: { secrets: secretStore, tokens: setupLinkTokens },

  async handle({ body, principal, baseUrl }, { secrets, tokens }) {
    const keys = [...new Set(body.keys)];
    const stored = await secrets.byKeys(keys);
    const isRevoked = (key: string) => stored.get(key)?.status === 'revoked';
    const unset = keys.filter((key) => !isConfigured(stored.get(key)));
    const token = unset.length > 0 && (await tokens.issue(principal, unset, body.context ?? null));
    return {
      url: token ? `${baseUrl()}/secrets/setup#${token}` : null,
      missing: unset.filter((key) => !isRevoked(key)),
      revoked: unset.filter(isRevoked),
      alreadyConfigured: keys.filter((key) => !unset.includes(key)),
    };
  },
});

export const handler = toLambda(secretsSetupUrl);
