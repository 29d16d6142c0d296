import * as z from 'zod';
import { SecretRequestItem } from '../../shared/domain/secret-requests/items.ts';
import { SecretRequestManifest } from '../../shared/domain/secret-requests/manifest.ts';
import { ReturnUrl } from '../../shared/domain/secret-requests/return-url.ts';
import { secretRequests } from '../../shared/domain/secret-requests/secret-requests.ts';
import { SecretRequestSource } from '../../shared/domain/secret-requests/source.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

export const secretsIntakeSubmit = defineEndpoint({
  id: 'secrets.intake-submit',
  method: 'POST',
  path: '/v1/secrets/intake/submit',
  permission: 'SECRETS:WRITE',
  acceptsIntakeToken: true,
  summary: 'Submit the values that an intake asks for',
  description:
    'Stores all values or none: one item that is not valid is a 400 that names it. An item names its secret by `key`, by `itemId` (the same) or by `secretId`, and must be one that `source` is about; a `manual` source without `key` is about any secret, by a permission. With a setup link’s token a secret that has a value is a 409; the token dies when all of its secrets have one, and is good for the others until then. `displayName` is taken and not kept.',
  body: z.strictObject({
    source: SecretRequestSource,
    items: z.array(SecretRequestItem).min(1).max(50),
    returnUrl: ReturnUrl.optional(),
  }),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ success: z.boolean(), manifest: SecretRequestManifest }) },
  },
  errors: [400, 404, 409, 415],
  needs: { intake: secretRequests },

  async handle({ body, principal }, { intake }) {
    return { success: true, manifest: await intake.submit(principal, body) };
  },
});

export const handler = toLambda(secretsIntakeSubmit);
