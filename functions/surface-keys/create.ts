import { missingPermission } from '../../shared/core/errors/errors.ts';
import { surfaceKeys } from '../../shared/domain/surfaces/surface-keys.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { requireAll } from '../../shared/platform/identity/principal.ts';
import { parseFutureDate } from '../api-keys/schemas.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { CreatedSurfaceKey, CreateSurfaceKeyBody, toCreatedKey } from './schemas.ts';

export const createSurfaceKey = defineEndpoint({
  id: 'surface-keys.create',
  method: 'POST',
  path: '/v1/products/{id}/surfaces/{surfaceId}/keys',
  permission: 'PRODUCTS:WRITE',
  summary: 'Create a key of a surface',
  description:
    'Also requires `PRODUCTS:EXECUTE`: the key calls the items of this surface, and nothing else. The response returns its value (`key`) once; only that of a test key can be revealed later. A test API key can create test keys only. 409 if the surface has 50 keys.',
  params: SurfaceParams,
  body: CreateSurfaceKeyBody,
  response: { kind: 'json', bodies: { 201: CreatedSurfaceKey } },
  shownOnce: ['key'],
  errors: [400, 404, 409],
  needs: { keys: surfaceKeys, now: clock },

  async handle({ params: { id, surfaceId }, body, principal }, { keys, now }) {
    requireAll(principal, ['PRODUCTS:EXECUTE']);
    const { environment, name = null, scopes, rateLimitPerMinute, rateLimitPerDay } = body;
    if (principal.environment === 'test' && environment !== 'test') {
      throw missingPermission('PRODUCTS:WRITE', 'TEST_KEY_PERMISSION_DENIED');
    }
    const expiresAt = parseFutureDate(body.expiresAt ?? null, now());
    const limits = { perMinute: rateLimitPerMinute, perDay: rateLimitPerDay };
    const draft = { name, environment, scopes, expiresAt, ...limits };
    const { key, value } = await keys.create(principal, { productId: id, surfaceId }, draft);
    return toCreatedKey(key, value);
  },
});

export const handler = toLambda(createSurfaceKey);
