import { getIdCreatedAt } from '../../core/ids.ts';
import { type ApiKey, zeroCounters } from '../../platform/auth/api-key.ts';
import { deriveKeyFields, getKeyEnvironment } from '../../platform/auth/key-format.ts';
import type { Scope } from '../../platform/data/scope.ts';

type Given = Pick<ApiKey, 'userId' | 'organizationId' | 'name' | 'permissions'> &
  Partial<Pick<ApiKey, 'allowedIps' | 'expiresAt' | 'perHour' | 'perDay' | 'lifetimeMax' | 'productId'>>;

/** An unused key as it is stored. Its value decides its environment. */
export function newApiKey({ newId }: Pick<Scope, 'newId'>, value: string, input: Given): ApiKey {
  const id = newId('key');
  const at = getIdCreatedAt(id);
  return {
    allowedIps: [],
    expiresAt: null,
    ...input,
    id,
    environment: getKeyEnvironment(value),
    ...deriveKeyFields(value),
    isActive: true,
    createdAt: at,
    updatedAt: at,
    ...zeroCounters,
  };
}
