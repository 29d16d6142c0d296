import { documentClient } from './data/client.ts';
import { patient } from './data/commit.ts';
import { type TenantTable, tenantTable } from './data/table.ts';
import { type NewId, newId } from './ids.ts';

/** What a store is bound to: one tenant's view of the table, the clock and the ids. */
export interface Scope {
  table: TenantTable;
  now: () => Date;
  newId: NewId;
}

/** Makes one of the things that an endpoint, a worker or a step names under `needs`. */
export type Need<T> = (scope: Scope) => T;
export type Needs = Record<string, Need<unknown>>;
export type Met<N extends Needs> = { [Name in keyof N]: ReturnType<N[Name]> };

/** The clock and the ids, for those who name them under `needs`. */
export const clock: Need<() => Date> = ({ now }) => now;
export const ids: Need<NewId> = ({ newId }) => newId;

/** Everything, for those whose reach is decided by what they are asked to run. */
export const wholeScope: Need<Scope> = (scope) => scope;

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

export const meet = <N extends Needs>(needs: N, scope: Scope) =>
  Object.fromEntries(Object.entries(needs).map(([name, make]) => [name, make(scope)])) as Met<N>;

export function requireEnv(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set`);
  return value;
}
