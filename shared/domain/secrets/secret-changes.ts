import { conflict } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { Secret } from './secret.ts';

/** Missing members stay unchanged; an empty description removes it. */
export interface SecretInput {
  key: string;
  value?: string | undefined;
  description?: string | undefined;
}

/** A secret before and after a change. The value is not stored yet. */
export interface SecretChange {
  action: 'secret.created' | 'secret.restored' | 'secret.rotated' | 'secret.updated' | 'secret.revoked';
  before: Secret | undefined;
  after: Secret;
  value?: string | undefined;
}

const neverValued = { status: 'pending', version: 0, valueId: null, valuePreview: null } as const;

export function createSecretChange(
  { now, newId }: Pick<Scope, 'now' | 'newId'>,
  { userId, organizationId }: Pick<Principal, 'userId' | 'organizationId'>,
  before: Secret | undefined,
  { key, value, description }: SecretInput,
): SecretChange {
  const id = newId('secret');
  const at = before ? now().toISOString() : getIdCreatedAt(id);
  const base: Secret = before ?? {
    id,
    key,
    description: null,
    userId,
    organizationId,
    ...neverValued,
    lastRotatedAt: null,
    createdAt: at,
    updatedAt: at,
  };
  const after: Secret = {
    ...base,
    ...(description !== undefined && { description: description || null }),
    ...(base.status === 'revoked' && { status: 'pending' }),
    ...(value !== undefined && {
      status: 'active',
      version: base.version + 1,
      valuePreview: previewSecret(value),
      lastRotatedAt: base.version > 0 ? at : null,
    }),
    updatedAt: at,
  };
  return { action: getAction(before, value), before, after, value };
}

const getAction = (before: Secret | undefined, value: string | undefined) =>
  !before
    ? 'secret.created'
    : before.status === 'revoked'
      ? 'secret.restored'
      : value === undefined
        ? 'secret.updated'
        : 'secret.rotated';

/** Keeps a tombstone, so that later requests learn that the secret was deleted. */
export const createRevocation = ({ now }: Pick<Scope, 'now'>, before: Secret): SecretChange => ({
  action: 'secret.revoked',
  before,
  after: {
    ...before,
    status: 'revoked',
    valueId: null,
    valuePreview: null,
    updatedAt: now().toISOString(),
  },
});

export function assertVersion(secret: Secret | undefined, expected: number | undefined): void {
  const actual = secret?.version ?? 0;
  if (expected === undefined || expected === actual) return;
  const message = `The secret has version ${actual}, not ${expected}; read it again and retry`;
  throw conflict({ path: 'expectedVersion', code: 'VERSION_MISMATCH', message });
}

/** The last characters, if the value is long enough for them to reveal little. */
export function previewSecret(value: string): string | null {
  const characters = [...value];
  return characters.length < 12 ? null : characters.slice(-4).join('');
}
