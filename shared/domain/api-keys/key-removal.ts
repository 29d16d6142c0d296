import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Actor } from '../../platform/identity/audit.ts';
import { apiKeyStore } from './api-key-store.ts';
import { createKeyValueRemoval } from './key-values.ts';
import { testKeyValues } from './test-key-values.ts';

/** Deletes a key and, of a test key, the stored value. @throws 404, 409 if its value changed at the same time */
export const keyRemoval = /* @__PURE__ */ using(
  [apiKeyStore, testKeyValues, 'table:delete'],
  (scope: Scope) => {
    const apiKeys = apiKeyStore(scope);
    const values = testKeyValues(scope);
    return async (by: Actor, id: string): Promise<void> => {
      const key = await apiKeys.get(id);
      const isTest = key.environment === 'test';
      await apiKeys.remove(by, key, isTest ? [createKeyValueRemoval(scope, key.id)] : []);
      if (isTest) await values.removeFormer(key.id);
    };
  },
);
