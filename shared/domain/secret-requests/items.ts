import * as z from 'zod';
import type { DetailCode } from '../../core/errors/error-codes.ts';
import { conflict, type ErrorDetail, hasCode, invalid } from '../../core/errors/errors.ts';
import { resourceId } from '../../core/ids.ts';
import { SecretKey } from '../../core/variables/secret-references.ts';
import { type Secret, SecretDescription, SecretValue } from '../secrets/secret.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { isConfigured } from './source.ts';

/** A value for a secret, which is named by key, item id (equal to the key) or secret id. */
export const SecretRequestItem = z.strictObject({
  key: SecretKey.optional(),
  itemId: SecretKey.optional(),
  secretId: resourceId('secret').optional(),
  value: SecretValue,
  description: SecretDescription.optional(),
  displayName: z.string().max(255).optional(),
  expectedVersion: z.int().min(0).optional(),
});
export type SecretRequestItem = z.infer<typeof SecretRequestItem>;

type Keyed = SecretRequestItem & { key: string };

/** The key of each item's secret; undefined if the item names none. */
export const listItemKeys = (items: readonly SecretRequestItem[], secrets: Pick<SecretStore, 'get'>) =>
  Promise.all(
    items.map(async ({ key, itemId, secretId }) => {
      if (key ?? itemId) return key ?? itemId;
      return secretId && (await secrets.get(secretId).catch(ignoreMissing))?.key;
    }),
  );

function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, 'NOT_FOUND')) throw error;
}

interface Context {
  keys: readonly (string | undefined)[];
  /** The requested keys; undefined if any is allowed. */
  allowed: readonly string[] | undefined;
  secrets: ReadonlyMap<string, Secret>;
}

/** Adds the keys to the items. @throws 400 that lists all problems by path. */
export function addKeys(items: readonly SecretRequestItem[], { keys, allowed, secrets }: Context): Keyed[] {
  const wrong = items.flatMap((item, index) => {
    const key = keys[index];
    const fault = findFault(
      item,
      key,
      keys.indexOf(key) < index,
      key ? secrets.get(key) : undefined,
      allowed,
    );
    return fault ? [{ ...fault, path: `items.${index}.${fault.path}` }] : [];
  });
  if (wrong.length > 0) throw invalid(wrong);
  return items.map((item, index) => ({ ...item, key: keys[index] ?? '' }));
}

function findFault(
  { itemId, secretId }: SecretRequestItem,
  key: string | undefined,
  isRepeated: boolean,
  secret: Secret | undefined,
  allowed: readonly string[] | undefined,
): (ErrorDetail & { path: string }) | undefined {
  const createFault = (path: string, code: DetailCode, message: string) => ({ path, code, message });
  if (key === undefined) {
    return secretId
      ? createFault('secretId', 'UNKNOWN_SECRET', 'This secret does not exist')
      : createFault('key', 'MISSING_REQUIRED_FIELD', 'Required: the key, itemId or secretId of a secret');
  }
  if (allowed && !allowed.includes(key))
    return createFault('key', 'NOT_ASKED_FOR', `${key} is not requested here; leave it out`);
  if (isRepeated)
    return createFault('key', 'DUPLICATE_KEY', `${key} occurs more than once; give each key once`);
  if (itemId && itemId !== key)
    return createFault('itemId', 'MISMATCH', 'key and itemId name different secrets');
  if (secretId && secretId !== secret?.id) {
    return createFault('secretId', 'MISMATCH', `${key} is not the key of this secret`);
  }
  return undefined;
}

/** @throws 409 if a secret has another version than expected, or a value that a setup link may not replace. */
export function assertCurrent(
  items: readonly Keyed[],
  secrets: ReadonlyMap<string, Secret>,
  { replaces }: { replaces: boolean },
): void {
  for (const [index, { key, expectedVersion }] of items.entries()) {
    const secret = secrets.get(key);
    const version = secret?.version ?? 0;
    if (expectedVersion !== undefined && expectedVersion !== version) {
      const message = `The version of ${key} is ${version}; read it again and retry`;
      throw conflict({ path: `items.${index}.expectedVersion`, code: 'VERSION_MISMATCH', message });
    }
    if (!replaces && isConfigured(secret)) {
      const message = `${key} already has a value, which a setup link cannot replace`;
      throw conflict({ path: `items.${index}.key`, code: 'ALREADY_CONFIGURED', message });
    }
  }
}
