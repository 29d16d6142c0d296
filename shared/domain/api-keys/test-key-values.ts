import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { readFormerValue, removeFormerValue } from './former-test-key-values.ts';
import { keyValues } from './key-values.ts';

/** The values of the tenant's test keys, also those that migration 1 has not moved yet. */
export const testKeyValues = /* @__PURE__ */ using([keyValues, 'test-keys:former'], (scope: Scope) => {
  const { tenant } = scope.table;
  const values = keyValues(scope);
  return {
    ...values,
    read: async (id: string): Promise<string | undefined> =>
      (await values.read(id)) ?? readFormerValue(tenant, id),

    /** Call it once the key is deleted. */
    removeFormer: (id: string): Promise<void> => removeFormerValue(tenant, id),
  };
});
