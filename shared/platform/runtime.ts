import { loadOnce } from '../core/concurrency/load-once.ts';
import { requireEnv } from '../core/environment.ts';
import { newId } from '../core/ids.ts';
import { documentClient } from './data/client.ts';
import { retryOutages } from './data/retry-contention.ts';
import type { Scope } from './data/scope.ts';
import { tenantTable } from './data/table.ts';

export interface Runtime {
  /** @param retrySignal The table retries outages of DynamoDB until this is aborted. For workers. */
  scopeOf: (tenant: string, retrySignal?: AbortSignal) => Scope;
}

export const productionRuntime = loadOnce((): Runtime => {
  const client = documentClient();
  const tableName = requireEnv('TABLE_NAME');
  const now = () => new Date();
  return {
    scopeOf: (tenant, retrySignal) => ({
      table: tenantTable(retrySignal ? retryOutages(client, retrySignal) : client, tableName, tenant, now),
      now,
      newId,
    }),
  };
});
