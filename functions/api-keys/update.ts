import * as z from 'zod';
import { invalidAt } from '../../shared/core/errors/errors.ts';
import { apiKeyStore } from '../../shared/domain/api-keys/api-key-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { isBarredFromTestKeys } from '../../shared/platform/identity/permissions.ts';
import {
  ApiKeyParams,
  assertGrantable,
  ChangedApiKey,
  parseFutureDate,
  toApiKeyResponse,
  UpdateApiKeyBody,
} from './schemas.ts';

export const updateApiKey = defineEndpoint({
  id: 'api-keys.update',
  method: 'PUT',
  path: '/v1/api-keys/{id}',
  permission: 'API_KEYS:WRITE',
  sessionOnly: true,
  summary: 'Update an API key',
  description:
    'Requires a session. Omitted members stay unchanged. Changes apply from the key’s next request on. `expiresAt: null` removes the expiry.',
  params: ApiKeyParams,
  body: UpdateApiKeyBody,
  response: { kind: 'json', bodies: { 200: z.object({ apiKey: ChangedApiKey, timestamp: z.string() }) } },
  errors: [400, 404],
  needs: { apiKeys: apiKeyStore, now: clock },

  async handle({ params, body, principal }, { apiKeys, now }) {
    const { rateLimits, expiresAt, permissions, ...rest } = body;
    const { environment, permissions: held } = await apiKeys.get(params.id);
    // Reactivating, extending or re-allowlisting a key grants its permissions, so the session needs them too.
    const loosens = body.isActive || expiresAt !== undefined || body.allowedIps !== undefined;
    assertGrantable(principal, permissions ?? (loosens ? held : []));
    const barred = environment === 'test' ? (permissions?.findIndex(isBarredFromTestKeys) ?? -1) : -1;
    if (barred >= 0) {
      const message = `A test key cannot have ${permissions?.[barred]}`;
      throw invalidAt(`permissions.${barred}`, 'PERMISSION_NOT_ALLOWED', message);
    }
    const set = {
      ...rest,
      ...rateLimits,
      ...(permissions && { permissions }),
      ...(expiresAt !== undefined && { expiresAt: parseFutureDate(expiresAt, now()) }),
    };
    const apiKey = await apiKeys.update(principal, params.id, set);
    return { apiKey: toApiKeyResponse(apiKey), timestamp: now().toISOString() };
  },
});

export const handler = toLambda(updateApiKey);
