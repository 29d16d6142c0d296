import * as z from 'zod';
import {
  ReturnUrl,
  SecretRequestItem,
  SecretRequestManifest,
  SecretRequestSource,
  secretRequests,
} from '../../shared/domain/secrets/secret-requests.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

export const submitSecretValues = defineEndpoint({
  id: 'secrets.intake-submit',
  method: 'POST',
  path: '/v1/secrets/intake/submit',
  permission: 'SECRETS:WRITE',
  accepts: ['setup-link'],
  summary: 'Submit the secret values that an intake requests',
  description:
    'Stores all values or none: one invalid item returns a 400 that names it. An item identifies its secret by `key`, by `itemId` (the same) or by `secretId`, and must belong to `source`; with a permission, a `manual` source without `key` accepts any secret. With a setup link token, a secret that already has a value returns 409; the token expires once all of its secrets have values. `displayName` is accepted and ignored.',
  body: z.strictObject({
    source: SecretRequestSource,
    items: z.array(SecretRequestItem).min(1).max(50),
    returnUrl: ReturnUrl.optional(),
  }),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ success: z.boolean(), manifest: SecretRequestManifest }) },
  },
  errors: [400, 404, 409],
  needs: { intake: secretRequests },

  async handle({ body, principal }, { intake }) {
    return { success: true, manifest: await intake.submit(principal, body) };
  },
});

export const handler = toLambda(submitSecretValues);
