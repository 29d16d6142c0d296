import { requireEnv } from '../core/environment.ts';
import { newId } from '../core/ids.ts';
import { documentClient } from './data/client.ts';
import { patient } from './data/commit.ts';
import type { Scope } from './data/scope.ts';
import { tenantTable } from './data/table.ts';

/** Where the code runs: gives each tenant its scope. */
export interface Runtime {
  /** @param patience Until when the table waits for a DynamoDB that does not answer: for those for whom nobody waits. */
  scopeOf: (tenant: string, patience?: AbortSignal) => Scope;
}

let production: Runtime | undefined;

/** The runtime of a deployed Lambda, made on first use. */
export function productionRuntime(): Runtime {
  if (!production) {
    const client = documentClient();
    const tableName = requireEnv('TABLE_NAME');
    production = {
      scopeOf: (tenant, patience) => ({
        table: tenantTable(patience ? patient(client, patience) : client, tableName, tenant),
        now: () => new Date(),
        newId,
      }),
    };
  }
  return production;
}
