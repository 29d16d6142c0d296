import * as z from 'zod';
import {
  ReturnUrl,
  SecretRequestManifest,
  SecretRequestSource,
  secretRequests,
} from '../../shared/domain/secrets/secret-requests.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

export const getSecretRequestManifest = defineEndpoint({
  id: 'secrets.intake-manifest',
  method: 'POST',
  path: '/v1/secrets/intake/manifest',
  noIdempotencyKey: 'It changes nothing',
  permission: 'SECRETS:WRITE',
  accepts: ['setup-link'],
  summary: 'List the secrets that an intake requests',
  description:
    'Lists the secrets of `source`. `manual`: the secret named by `key`, existing or not; without `key`, those of the setup link, or with a permission all pending ones. `secret`: the secret named by `key`, which must exist (it may be revoked) or belong to the setup link. `product`: the secrets that a product needs; 404 for an unknown product. A revoked secret needs a value like a missing one. `returnUrl` must be https, or http to the caller’s own machine; the response repeats it unchanged.',
  body: z.strictObject({ source: SecretRequestSource, returnUrl: ReturnUrl.optional() }),
  response: { kind: 'json', bodies: { 200: SecretRequestManifest } },
  errors: [400, 404],
  needs: { intake: secretRequests },
  handle: ({ body, principal }, { intake }) => intake.manifest(principal, body),
});

export const handler = toLambda(getSecretRequestManifest);
