import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo } from '../../shared/core/name.ts';
import { KeyProvider } from '../../shared/domain/model-configs/model-account.ts';
import { KeySettings, type ListedKey } from '../../shared/domain/model-configs/provider-key-store.ts';
import { CallLimitsChange, ShownLimits } from '../../shared/domain/throttles/limits.ts';

export const ProviderKeyParams = z.object({ id: resourceId('providerkey') });

const ApiKey = z
  .string()
  .min(1, { abort: true })
  .max(10_000)
  .regex(/^[!-~]+$/, 'Expected a key without blanks and line breaks')
  .meta({ format: 'password', writeOnly: true });

export const CreateKeyBody = z
  .strictObject({
    provider: KeyProvider,
    name: nameUpTo(100),
    apiKey: ApiKey,
    isDefault: z.boolean().default(false),
    settings: KeySettings.optional(),
    limits: CallLimitsChange.optional(),
  })
  .meta({
    examples: [{ provider: 'openai', name: 'Our OpenAI account', apiKey: 'sk-an-example', isDefault: true }],
  });

export const UpdateKeyBody = z
  .strictObject({
    name: nameUpTo(100).optional(),
    apiKey: ApiKey.optional(),
    isActive: z.boolean().optional(),
    isDefault: z.boolean().optional(),
    settings: KeySettings.optional(),
    limits: CallLimitsChange.optional(),
  })
  .meta({ examples: [{ isActive: false }] });

/** A key as responses show it. The table does not have the value. */
export const ProviderKeyResponse = z
  .object({
    id: z.string(),
    provider: z.string(),
    name: z.string(),
    keyPreview: z.string().nullable(),
    isActive: z.boolean(),
    isDefault: z.boolean(),
    settings: z.record(z.string(), z.unknown()).nullable(),
    limits: ShownLimits,
    usageCount: z.int().meta({ description: 'Model calls in the last twelve months' }),
    lastUsedAt: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({
    id: 'ProviderKey',
    examples: [
      {
        id: 'providerkey_01k9m4v7d3x8qz5w2r6t0y1hbn',
        provider: 'openai',
        name: 'Our OpenAI account',
        keyPreview: 'x7Qa',
        isActive: true,
        isDefault: true,
        settings: null,
        limits: {},
        usageCount: 1_204,
        lastUsedAt: '2026-11-22T09:30:00.000Z',
        createdAt: '2026-11-01T08:00:00.000Z',
        updatedAt: '2026-11-01T08:00:00.000Z',
      },
    ],
  });

export const toProviderKeyResponse = (
  key: ListedKey,
  { usageCount = 0, lastUsedAt = null }: { usageCount?: number; lastUsedAt?: string | null } = {},
) => ({
  ...key,
  limits: key.limits ?? {},
  usageCount,
  lastUsedAt,
});
