import * as z from 'zod';
import { notFound } from '../../core/errors/errors.ts';
import { SecretKey } from '../../core/variables/secret-references.ts';
import type { SetupLink } from '../../platform/auth/setup-link.ts';
import type { Secret } from '../secrets/secret.ts';
import type { SecretStore } from '../secrets/secret-store.ts';

const needs = { secret: 'key', product: 'productId' } as const;

export const SecretRequestSource = z
  .strictObject({
    type: z.enum(['manual', 'secret', 'product']),
    key: SecretKey.optional(),
    productId: z.string().min(1).max(255).optional(),
  })
  .superRefine((source, context) => {
    if (source.type === 'manual' || source[needs[source.type]] !== undefined) return;
    const member = needs[source.type];
    const params = { code: 'MISSING_REQUIRED_FIELD' };
    context.addIssue({
      code: 'custom',
      path: [member],
      message: `Required: names the ${source.type}`,
      params,
    });
  });
export type SecretRequestSource = z.infer<typeof SecretRequestSource>;

/** The requested keys; undefined if the submitter chooses them. */
export async function listSourceKeys(
  source: SecretRequestSource,
  intake: SetupLink | undefined,
  secrets: Pick<SecretStore, 'byKeys'>,
): Promise<string[] | undefined> {
  const { type, key } = source;
  if (type === 'product') throw notFound('Product');
  if (key === undefined) return intake?.keys;
  const named = intake
    ? intake.keys.includes(key)
    : type === 'manual' || (await secrets.byKeys([key])).has(key);
  if (!named) throw notFound('Secret');
  return [key];
}

export const isConfigured = (secret: Secret | undefined) => secret?.status === 'active';
