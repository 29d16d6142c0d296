import type { NewId } from '../../core/ids.ts';
import { type Requirements, using } from '../aws/uses.ts';
import type { TenantTable } from './table.ts';

/** What a store is bound to: one tenant's view of the table, the clock and the ids. */
export interface Scope {
  table: TenantTable;
  now: () => Date;
  newId: NewId;
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal;
}

/** Makes one of the things that an endpoint names under `needs`, and states what that needs from AWS. */
export type Need<T> = ((scope: Scope) => T) & Requirements;
export type Needs = Record<string, Need<unknown>>;
export type Resolved<N extends Needs> = { [Name in keyof N]: ReturnType<N[Name]> };

/** The clock and the ids, for those who name them under `needs`. */
export const clock = /* @__PURE__ */ using([], ({ now }: Scope) => now);
export const ids = /* @__PURE__ */ using([], ({ newId }: Scope) => newId);

export const resolveNeeds = <N extends Needs>(needs: N, scope: Scope) =>
  Object.fromEntries(Object.entries(needs).map(([name, make]) => [name, make(scope)])) as Resolved<N>;
