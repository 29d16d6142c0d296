import * as z from 'zod';
import { invalidAt, notFound } from '../../core/errors/errors.ts';
import type { AuditEvent } from '../../platform/identity/audit.ts';
import type { KeyProvider, ModelAccount, ProviderKey } from '../model-configs/model-account.ts';
import { TenantUrl } from '../model-configs/tenant-url.ts';
import type { CallLimitsChange } from '../throttles/limits.ts';

/** Where a key is used, if not at the provider's own address. */
export const KeySettings = z.strictObject({
  baseURL: TenantUrl.optional(),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-[0-9]$/, 'Expected the name of an AWS region')
    .optional()
    .meta({ description: 'The AWS region of Bedrock' }),
});
export type KeySettings = z.infer<typeof KeySettings>;

/** Missing members stay unchanged. */
export interface KeyInput {
  name?: string | undefined;
  apiKey?: string | undefined;
  isActive?: boolean | undefined;
  isDefault?: boolean | undefined;
  settings?: KeySettings | undefined;
  limits?: CallLimitsChange | undefined;
}

export interface NewKey extends KeyInput {
  provider: KeyProvider;
  name: string;
  apiKey: string;
}

export type ListedKey = ProviderKey & { isDefault: boolean };

/** @throws 404 */
export function keyOfAccount({ keys }: ModelAccount, id: string): ProviderKey {
  const key = keys.find((each) => each.id === id);
  if (!key) throw notFound('Provider key');
  return key;
}

/** The defaults after a key was made the default of its provider or not, and the key as it then is. */
export function withDefault({ defaults }: ModelAccount, key: ProviderKey, wanted: boolean | undefined) {
  const { [key.provider]: current, ...others } = defaults.providerKeyIds;
  const id = wanted ? key.id : wanted === false && current === key.id ? undefined : current;
  const providerKeyIds = id === undefined ? others : { ...others, [key.provider]: id };
  return { defaults: { ...defaults, providerKeyIds }, result: { ...key, isDefault: id === key.id } };
}

/** @throws 400 for settings that the provider has no use for, and for a server without an address. */
export function assertSettings(provider: KeyProvider, settings: KeySettings | null): void {
  if (settings?.region !== undefined && provider !== 'bedrock') {
    throw invalidAt('settings.region', 'INVALID_VALUE', 'Only keys of bedrock have a region');
  }
  if (provider !== 'generic-openai' || settings?.baseURL !== undefined) return;
  const message = 'Required for generic-openai: the address of the server, such as https://example.com/v1';
  throw invalidAt('settings.baseURL', 'MISSING_REQUIRED_FIELD', message);
}

export const keyEvent = (
  verb: 'created' | 'rotated' | 'updated' | 'deleted',
  { id, provider }: ProviderKey,
): AuditEvent => ({
  action: `provider-key.${verb}`,
  targetId: id,
  details: { provider },
});
