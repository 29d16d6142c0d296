import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo } from '../../shared/core/name.ts';
import type { SurfaceKey } from '../../shared/platform/auth/surface-key.ts';
import { keyExample, keyFields, keyMembers } from '../surfaces/key-schemas.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';

export const SurfaceKeyParams = SurfaceParams.extend({ keyId: resourceId('surfkey') });

const limitMax = 1_000_000;

export const CreateSurfaceKeyBody = z
  .strictObject({
    name: nameUpTo(255).optional(),
    environment: z.enum(['test', 'production']).default('test').meta({
      description: 'A test key runs drafts, and also calls surfaces that are drafts',
    }),
    expiresAt: z.iso.datetime({ offset: true }).optional(),
    rateLimitPerMinute: z.int().min(1).max(limitMax).optional().meta({ description: 'Default: 600' }),
    rateLimitPerDay: z.int().min(1).max(limitMax).optional().meta({
      description: 'Default: the daily limit of API keys',
    }),
    scopes: z
      .array(
        z
          .string()
          .min(1)
          .max(100)
          .regex(/^[a-z0-9-]+$/),
      )
      .max(64)
      .default([])
      .meta({ description: 'The slugs of the items that the key can call. An empty list allows all' }),
  })
  .meta({ examples: [{ name: 'Shop', environment: 'production', rateLimitPerMinute: 60 }] });

export const CreatedSurfaceKey = z
  .object({ ...keyFields, key: z.string().meta({ description: 'Shown once' }) })
  .meta({ id: 'CreatedSurfaceKey', examples: [{ ...keyExample, key: 'tv_surface_live_8Fh2…q7Zd' }] });

export const toCreatedKey = (key: SurfaceKey, value: string) => ({ ...keyMembers(key), key: value });
