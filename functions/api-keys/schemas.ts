import * as z from 'zod';
import { isAddressRange } from '../../shared/auth/addresses.ts';
import type { ApiKey } from '../../shared/auth/api-key.ts';
import { barredFromTestKeys, permissionNames } from '../../shared/auth/permissions.ts';

const dayMax = 1_000_000;

export const CreateApiKeyBody = z
  .strictObject({
    name: z.string().min(1).max(255),
    permissions: z.array(z.enum(permissionNames)).default(['FLOWS:READ', 'RECORDS:READ']),
    expiresAt: z.iso.datetime({ offset: true }).optional(),
    allowedIps: z
      .array(z.string().refine(isAddressRange, 'Expected an IP address or a CIDR range'))
      .max(100)
      .default([])
      .meta({ description: 'Addresses or CIDR ranges; empty: from anywhere' }),
    environment: z.enum(['production', 'test']).default('production'),
    rateLimits: z
      .strictObject({
        perHour: z.int().min(1).max(dayMax).optional(),
        perDay: z.int().min(1).max(dayMax).optional(),
      })
      .optional()
      .meta({ description: 'In place of the deployment’s own limits' }),
  })
  .superRefine(({ environment, permissions }, context) => {
    if (environment !== 'test') return;
    permissions.forEach((permission, index) => {
      if (!barredFromTestKeys(permission)) return;
      context.addIssue({
        code: 'custom',
        path: ['permissions', index],
        message: `A test key may not hold ${permission}`,
        params: { code: 'PERMISSION_NOT_ALLOWED' },
      });
    });
  });

export const ApiKeyResponse = z
  .object({
    id: z.string(),
    name: z.string(),
    keyPrefix: z.string(),
    searchHint: z.string().nullable(),
    permissions: z.array(z.string()),
    isActive: z.boolean(),
    expiresAt: z.string().nullable(),
    lastUsedAt: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
    maskedKey: z.string(),
    isTestKey: z.boolean(),
    /** Whether a session may see its value again. */
    canReveal: z.boolean(),
  })
  .meta({ id: 'ApiKey' });

export const toApiKeyResponse = (key: ApiKey) => ({
  ...key,
  maskedKey: `${key.keyPrefix}${'*'.repeat(8)}${key.searchHint}`,
  isTestKey: key.environment === 'test',
  canReveal: key.environment === 'test',
});
