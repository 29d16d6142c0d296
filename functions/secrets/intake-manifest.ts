import * as z from 'zod';
import { IntakeManifest } from '../../shared/domain/secret-requests/manifest.ts';
import { ReturnUrl } from '../../shared/domain/secret-requests/return-url.ts';
import { secretIntake } from '../../shared/domain/secret-requests/secret-intake.ts';
import { IntakeSource } from '../../shared/domain/secret-requests/source.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

export const getSecretRequestManifest = defineEndpoint({
  id: 'secrets.intake-manifest',
  method: 'POST',
  path: '/v1/secrets/intake/manifest',
  permission: 'SECRETS:WRITE',
  acceptsSetupLink: true,
  summary: 'Get which secrets an intake asks for',
  description:
    'What `source` is about. `manual`: the secret named by `key`, there or not; without `key`, those of the setup link, or by a permission all that are pending. `secret`: the one named by `key`, which must be there (it may be revoked), or be one of the setup link’s. `product`: what a product needs; 404 for one that does not exist. A secret that was revoked needs a value like a missing one. `returnUrl` is https, or http of the caller’s own machine, and is answered as it came.',
  body: z.strictObject({ source: IntakeSource, returnUrl: ReturnUrl.optional() }),
  response: { kind: 'json', bodies: { 200: IntakeManifest } },
  errors: [400, 404, 415],
  needs: { intake: secretIntake },
  handle: ({ body, principal }, { intake }) => intake.manifest(principal, body),
});

export const handler = toLambda(getSecretRequestManifest);
