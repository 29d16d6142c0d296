import type { NewId } from '../../core/ids.ts';
import { type Requirements, using } from '../aws/uses.ts';
import type { TenantTable } from './table.ts';
import type { Write } from './writes.ts';

/** The context of a store: one tenant's view of the table, the clock and the id generator. */
export interface Scope {
  table: TenantTable;
  now: () => Date;
  newId: NewId;
  /** Aborted when the response is no longer needed. */
  signal?: AbortSignal;
  /** Of a request that lasts: gives its place back in a transaction that ends its work. */
  releasePlace?: () => PlaceWrite | undefined;
  /** Of a request that lasts and whose handler acquires its place. */
  place?: RequestPlace;
}

export interface RequestPlace {
  /** Acquires a place by the transaction that begins the work, which it may refuse. Undefined if `acquire` is to. */
  join: () => PlaceWrite | undefined;
  /** Once only, also after a refusal of `join`. @throws 429 if none is free */
  acquire: () => Promise<void>;
}

export interface PlaceWrite {
  write: Write;
  /** Call it once the transaction is committed. One that was not released then is when the response has been sent. */
  done: () => void;
}

/** A factory that an endpoint names under `needs`, with its AWS requirements. */
export type Need<T> = ((scope: Scope) => T) & Requirements;
export type Needs = Record<string, Need<unknown>>;
export type Resolved<N extends Needs> = { [Name in keyof N]: ReturnType<N[Name]> };

export const clock = /* @__PURE__ */ using([], ({ now }: Scope) => now);
export const ids = /* @__PURE__ */ using([], ({ newId }: Scope) => newId);

export const resolveNeeds = <N extends Needs>(needs: N, scope: Scope) =>
  Object.fromEntries(Object.entries(needs).map(([name, make]) => [name, make(scope)])) as Resolved<N>;
