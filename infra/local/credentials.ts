import { join } from 'node:path';
import * as z from 'zod';
import { newApiKey } from '../../shared/domain/api-keys/new-api-key.ts';
import { testKeyValues } from '../../shared/domain/api-keys/test-key-values.ts';
import { apiKeyEntity, credentialEntity, toCredential } from '../../shared/platform/auth/api-key.ts';
import {
  generateKey,
  getKeyEnvironment,
  hashKey,
  isWellFormedKey,
} from '../../shared/platform/auth/key-format.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import type { Permission } from '../../shared/platform/identity/permissions.ts';
import { toTenant } from '../../shared/platform/identity/principal.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';
import { StartError } from './runtime/start-error.ts';
import { readStored, writePrivately } from './runtime/state-files.ts';

/** The user whose keys the stack creates on its first start, and whose session token it prints. */
export const localUser = 'local';

const Credentials = z.object({ liveKey: z.string(), testKey: z.string() });
type Credentials = z.infer<typeof Credentials>;

const testPermissions: Permission[] = [
  'FLOWS:READ',
  'FLOWS:WRITE',
  'FLOWS:EXECUTE',
  'RECORDS:READ',
  'RECORDS:WRITE',
  'ANALYTICS:READ',
];

/** Returns a working live key and test key: those of the last start, if there was one. */
export async function ensureCredentials(directory: string | undefined): Promise<Credentials> {
  const file = directory && join(directory, 'credentials.json');
  const stored = file ? readStored(file, Credentials) : undefined;
  const credentials = {
    liveKey: chosenLiveKey() ?? stored?.liveKey ?? generateKey('production'),
    testKey: stored?.testKey ?? generateKey('test'),
  };
  // Save the keys first: after a crash, the next start creates the saved keys, and none is lost.
  if (file) writePrivately(file, JSON.stringify(credentials, undefined, 2));
  const scope = productionRuntime().scopeOf(toTenant(localUser, null));
  await Promise.all([
    ensureKey(scope, credentials.liveKey, 'Local live key', ['*']),
    ensureKey(scope, credentials.testKey, 'Local test key', testPermissions),
  ]);
  return credentials;
}

function chosenLiveKey(): string | undefined {
  const key = process.env.LOCAL_API_KEY;
  if (!key) return undefined;
  if (isWellFormedKey(key) && getKeyEnvironment(key) === 'production') return key;
  throw new StartError(
    'LOCAL_API_KEY is not a well-formed live key. A live key is tv_live_, 43 letters and digits, and a checksum of 6 more. Unset LOCAL_API_KEY to generate a key.',
  );
}

async function ensureKey(scope: Scope, plainKey: string, name: string, permissions: string[]): Promise<void> {
  const hash = hashKey(plainKey);
  if (await scope.table.get(credentialEntity, { hash })) return;
  const owner = { userId: localUser, organizationId: null };
  const key = newApiKey(scope, plainKey, { ...owner, name, permissions });
  const isTest = key.environment === 'test';
  // Bypasses the store, which requires a principal for the audit log.
  await scope.table.commit([
    scope.table.writes.insert(apiKeyEntity, key),
    scope.table.writes.insert(credentialEntity, toCredential(key)),
    ...(isTest ? [await testKeyValues(scope).createWrite(key.id, plainKey)] : []),
  ]);
}
