import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { SecretKey } from '../../shared/core/secret-references.ts';
import { type Secret, SecretDescription, SecretValue } from '../../shared/domain/secrets/secret.ts';

export const SecretParams = z.object({ id: resourceId('secret') });

export const CreateSecretBody = z
  .strictObject({
    key: SecretKey,
    value: SecretValue.optional(),
    description: SecretDescription.optional(),
  })
  .meta({
    examples: [
      { key: 'WEATHER_API_KEY', value: 'an example of a key', description: 'For the weather service' },
    ],
  });

export const UpdateSecretBody = z
  .strictObject({
    value: SecretValue.optional(),
    description: SecretDescription.optional().meta({ description: 'An empty text removes it' }),
    expectedVersion: z.int().min(0).optional(),
  })
  .refine(({ value, description }) => value !== undefined || description !== undefined, {
    message: 'Required: a value or a description',
    params: { code: 'NOTHING_TO_CHANGE' },
  });

/** A secret as responses show it. The table does not have the value. */
export const SecretResponse = z
  .object({
    id: z.string(),
    key: z.string(),
    description: z.string().nullable(),
    status: z.enum(['active', 'pending']),
    version: z.int(),
    valuePreview: z.string().nullable(),
    phantomToken: z.string().nullable().meta({ description: 'The placeholder for the value in configs' }),
    lastRotatedAt: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Secret' });

export const toSecretResponse = ({ status, ...secret }: Secret) => ({
  ...secret,
  status: status === 'active' ? ('active' as const) : ('pending' as const),
  phantomToken: `{{secret:${secret.key}}}`,
});
