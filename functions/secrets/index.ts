import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { checkSecrets } from './check.ts';
import { createSecret } from './create.ts';
import { deleteSecret } from './delete.ts';
import { getSecret } from './get.ts';
import { getSecretRequestManifest } from './intake-manifest.ts';
import { submitSecretValues } from './intake-submit.ts';
import { listSecrets } from './list.ts';
import { secretsSetupUrl } from './setup-url.ts';
import { updateSecret } from './update.ts';

export const secretsGroup = {
  description: 'Passwords and keys that steps reference. The API accepts values and never returns them.',
  endpoints: [
    listSecrets,
    createSecret,
    checkSecrets,
    secretsSetupUrl,
    getSecretRequestManifest,
    submitSecretValues,
    getSecret,
    updateSecret,
    deleteSecret,
  ],
} as const satisfies EndpointGroup;
