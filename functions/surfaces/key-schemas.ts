import * as z from 'zod';
import type { SurfaceKey } from '../../shared/platform/auth/surface-key.ts';

export const keyFields = {
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

export const keyExample = {
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

export const SurfaceKeyResponse = z
  .object({
    ...keyFields,
    canReveal: z.boolean(),
    isDevelopment: z.boolean(),
    lastUsedAt: z.string().nullable(),
    usageCount: z.int().nullable(),
  })
  .meta({
    id: 'SurfaceKey',
    examples: [{ ...keyExample, canReveal: false, isDevelopment: false, lastUsedAt: null, usageCount: 0 }],
  });

export const toSurfaceKeyResponse = (key: SurfaceKey) => ({
  ...keyMembers(key),
  canReveal: key.environment === 'test',
  isDevelopment: key.environment === 'test',
  lastUsedAt: key.lastUsedAt,
  usageCount: key.usageCount ?? null,
});

/** Without the value. */
export const keyMembers = (key: SurfaceKey) => ({
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
