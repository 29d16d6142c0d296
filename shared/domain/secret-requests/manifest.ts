import * as z from 'zod';
import type { SetupLink } from '../../platform/auth/setup-link.ts';
import type { Secret } from '../secrets/secret.ts';
import { isConfigured, SecretRequestSource } from './source.ts';

const Status = z.enum(['configured', 'needs_configuration', 'invalid']);

const Item = z
  .object({
    itemId: z.string(),
    secretKey: z.string(),
    secretId: z.string().optional(),
    status: Status,
    required: z.boolean(),
    version: z.int(),
    displayName: z.string().nullable().optional(),
    description: z.string().nullable(),
    helpText: z.string().optional(),
  })
  .meta({ id: 'SecretIntakeItem' });

export const SecretRequestManifest = z
  .object({
    title: z.string(),
    description: z.string().optional(),
    configurationStatus: Status,
    pendingConfigurationCount: z.int(),
    items: z.array(Item),
    source: SecretRequestSource,
    returnUrl: z.string().optional(),
  })
  .meta({ id: 'SecretIntakeManifest' });

interface ManifestParts {
  source: SecretRequestSource;
  returnUrl?: string | undefined;
  intake: SetupLink | undefined;
  keys: readonly string[];
  secrets: ReadonlyMap<string, Secret>;
}

export function toManifest({ source, returnUrl, intake, keys, secrets }: ManifestParts) {
  const items = keys.map((key) => toItem(key, secrets.get(key)));
  const pending = items.filter(({ status }) => status !== 'configured').length;
  return {
    title: intake?.context
      ? `Set up secrets for ${intake.context.type} ${intake.context.id}`
      : 'Set up secrets',
    ...(intake && {
      description: `This link works until ${toMoment(intake.expiresAt)}, or until every value is set.`,
    }),
    configurationStatus: pending > 0 ? ('needs_configuration' as const) : ('configured' as const),
    pendingConfigurationCount: pending,
    items,
    source,
    ...(returnUrl && { returnUrl }),
  };
}

const valueLength = 'A value has 8 to 10,000 characters.';

const toItem = (key: string, secret: Secret | undefined) => ({
  itemId: key,
  secretKey: key,
  ...(secret && { secretId: secret.id }),
  status: isConfigured(secret) ? ('configured' as const) : ('needs_configuration' as const),
  required: true,
  version: secret?.version ?? 0,
  description: secret?.description ?? null,
  ...(!isConfigured(secret) && {
    helpText: secret?.status === 'revoked' ? `This secret was deleted before. ${valueLength}` : valueLength,
  }),
});

/** `6 October 2026, 14:05 UTC` */
const toMoment = (iso: string) =>
  `${new Date(iso).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
