import * as z from 'zod';
import { idOf } from '../../shared/core/ids.ts';
import { nameUpTo } from '../../shared/core/name.ts';
import type { SurfaceKey } from '../../shared/platform/auth/surface-key.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';

export const KeyParams = SurfaceParams.extend({ keyId: idOf('surfkey') });

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

const fields = {
  id: z.string(),
  surfaceId: z.string(),
  name: z.string().nullable(),
  environment: z.enum(['test', 'production']),
  keyPrefix: z.string(),
  keyHint: z.string(),
  scopes: z.array(z.string()),
  isActive: z.boolean(),
  expiresAt: z.string().nullable(),
  rateLimitPerMinute: z.int().nullable(),
  rateLimitPerDay: z.int().nullable(),
  createdAt: z.string(),
};

const example = {
  id: 'surfkey_01k9m4v7d3x8qz5w2r6t0y1hbn',
  surfaceId: 'surface_01k9m4v7d3x8qz5w2r6t0y1hbn',
  name: 'Shop',
  environment: 'production' as const,
  keyPrefix: 'tv_surface_live_8Fh2',
  keyHint: 'q7Zd',
  scopes: [],
  isActive: true,
  expiresAt: null,
  rateLimitPerMinute: 60,
  rateLimitPerDay: null,
  createdAt: '2026-11-22T09:30:00.000Z',
};

export const CreatedSurfaceKey = z
  .object({ ...fields, key: z.string().meta({ description: 'Shown once' }) })
  .meta({ id: 'CreatedSurfaceKey', examples: [{ ...example, key: 'tv_surface_live_8Fh2…q7Zd' }] });

export const SurfaceKeyResponse = z
  .object({
    ...fields,
    canReveal: z.boolean(),
    isDevelopment: z.boolean(),
    lastUsedAt: z.string().nullable(),
    usageCount: z.int().nullable(),
  })
  .meta({
    id: 'SurfaceKey',
    examples: [{ ...example, canReveal: false, isDevelopment: false, lastUsedAt: null, usageCount: 0 }],
  });

export const toCreatedKey = (key: SurfaceKey, value: string) => ({ ...fieldsOf(key), key: value });

export const toKeyResponse = (key: SurfaceKey) => ({
  ...fieldsOf(key),
  canReveal: key.environment === 'test',
  isDevelopment: key.environment === 'test',
  lastUsedAt: key.lastUsedAt,
  usageCount: key.usageCount ?? null,
});

const fieldsOf = (key: SurfaceKey) => ({
  id: key.id,
  surfaceId: key.surfaceId,
  name: key.name,
  environment: key.environment,
  keyPrefix: key.keyPrefix,
  keyHint: key.searchHint,
  scopes: key.scopes,
  isActive: key.isActive,
  expiresAt: key.expiresAt,
  rateLimitPerMinute: key.perMinute ?? null,
  rateLimitPerDay: key.perDay ?? null,
  createdAt: key.createdAt,
});
