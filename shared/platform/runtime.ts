import { loadOnce } from '../core/concurrency/load-once.ts';
import { requireEnv } from '../core/environment.ts';
import { newId } from '../core/ids.ts';
import { documentClient } from './data/client.ts';
import { retryOutages } from './data/commit.ts';
import type { Scope } from './data/scope.ts';
import { tenantTable } from './data/table.ts';

/** The runtime environment, which creates a scope per tenant. */
export interface Runtime {
  /**
   * @param retrySignal The table retries outages of DynamoDB until this is aborted. For workers, which no caller waits
   * for.
   */
  scopeOf: (tenant: string, retrySignal?: AbortSignal) => Scope;
}

/** The runtime of a deployed Lambda, created on first use. */
export const productionRuntime = loadOnce((): Runtime => {
  const client = documentClient();
  const tableName = requireEnv('TABLE_NAME');
  return {
    scopeOf: (tenant, retrySignal) => ({
      table: tenantTable(retrySignal ? retryOutages(client, retrySignal) : client, tableName, tenant),
      now: () => new Date(),
      newId,
    }),
  };
});
