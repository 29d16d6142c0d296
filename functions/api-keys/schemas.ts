import * as z from 'zod';
import { invalidAt, missingPermission } from '../../shared/core/errors/errors.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo } from '../../shared/core/name.ts';
import { isAddressRange } from '../../shared/platform/auth/addresses.ts';
import type { ApiKey } from '../../shared/platform/auth/api-key.ts';
import { maximumLimits } from '../../shared/platform/auth/rate-limit-windows.ts';
import { covers, isBarredFromTestKeys, permissionNames } from '../../shared/platform/identity/permissions.ts';
import type { Principal } from '../../shared/platform/identity/principal.ts';

export const ApiKeyParams = z.object({ id: resourceId('key') });

/** The warning next to a value that is returned only once. */
export const shownOnce = 'Store this key now: it will not be shown again';

const Name = nameUpTo(255);
export const Permissions = z.array(z.enum(permissionNames)).max(100);
const Moment = z.iso.datetime({ offset: true });
const AllowedIps = z
  .array(z.string().refine(isAddressRange, 'Expected an IP address or a CIDR range'))
  .max(100)
  .meta({ description: 'IP addresses or CIDR ranges that may use the key. An empty list allows all' });
const RateLimits = z
  .strictObject({
    perHour: z.int().min(1).max(maximumLimits.perHour).optional(),
    perDay: z.int().min(1).max(maximumLimits.perDay).optional(),
  })
  .meta({ description: 'Overrides the default rate limits' });

export const UpdateApiKeyBody = z.strictObject({
  name: Name.optional(),
  permissions: Permissions.optional(),
  isActive: z.boolean().optional(),
  expiresAt: Moment.nullable().optional(),
  allowedIps: AllowedIps.optional(),
  rateLimits: RateLimits.optional(),
});

export const CreateApiKeyBody = z
  .strictObject({
    name: Name,
    permissions: Permissions.default(['FLOWS:READ', 'RECORDS:READ']),
    expiresAt: Moment.optional(),
    allowedIps: AllowedIps.default([]),
    environment: z.enum(['production', 'test']).default('production'),
    rateLimits: RateLimits.optional(),
  })
  .superRefine(({ environment, permissions }, context) => {
    if (environment !== 'test') return;
    permissions.forEach((permission, index) => {
      if (!isBarredFromTestKeys(permission)) return;
      context.addIssue({
        code: 'custom',
        path: ['permissions', index],
        message: `A test key cannot have ${permission}`,
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
    /** Whether a session can reveal the value. */
    canReveal: z.boolean(),
  })
  .meta({ id: 'ApiKey' });

/** Adds the members that lists omit. */
export const ChangedApiKey = ApiKeyResponse.extend({ allowedIps: z.array(z.string()) }).meta({
  id: 'ApiKeyDetails',
});

/** A session cannot grant permissions that it does not have. */
export function assertGrantable({ permissions: held }: Principal, wanted: readonly string[] = []): void {
  const beyond = wanted.find((permission) => !covers(held, permission));
  if (beyond) throw missingPermission(beyond);
}

/** Parses a date in the future into the stored format. */
export function parseFutureDate(text: string | null, now: Date): string | null {
  if (text === null) return null;
  const moment = new Date(text);
  if (moment <= now) throw invalidAt('expiresAt', 'IN_THE_PAST', 'Expected a date in the future');
  return moment.toISOString();
}

export const toApiKeyResponse = (key: ApiKey) => ({
  ...key,
  maskedKey: `${key.keyPrefix}${'*'.repeat(8)}${key.searchHint}`,
  isTestKey: key.environment === 'test',
  canReveal: key.environment === 'test',
});
