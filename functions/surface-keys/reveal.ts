import * as z from 'zod';
import { surfaceKeys } from '../../shared/domain/surfaces/surface-keys.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SurfaceKeyParams } from './schemas.ts';

const warning = 'Keep this key secret: it calls the surface for anyone who has it';

export const revealSurfaceKey = defineEndpoint({
  id: 'surface-keys.reveal',
  method: 'GET',
  path: '/v1/products/{id}/surfaces/{surfaceId}/keys/{keyId}/reveal',
  permission: 'PRODUCTS:WRITE',
  sessionOnly: true,
  summary: 'Reveal the value of a test key of a surface',
  description: 'Requires a session. 403 for a production key: the service does not store its value.',
  params: SurfaceKeyParams,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        key: z.string(),
        metadata: z.object({
          createdVia: z.string().nullable(),
          environment: z.literal('test'),
          lifetimeExecutions: z.int().nullable(),
          surfaceType: z.string().nullable(),
        }),
        warning: z.string(),
      }),
    },
  },
  errors: [400, 404, 409],
  needs: { keys: surfaceKeys },

  async handle({ params: { id, surfaceId, keyId }, principal }, { keys }) {
    const { key, value } = await keys.reveal(principal, { productId: id, surfaceId }, keyId);
    const metadata = {
      createdVia: null,
      environment: 'test' as const,
      surfaceType: null,
      lifetimeExecutions: key.lifetimeMax ?? null,
    };
    return { key: value, metadata, warning };
  },
});

export const handler = toLambda(revealSurfaceKey);
