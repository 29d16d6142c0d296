import type { Use } from '../aws/uses.ts';
import type { AnyEntity, ItemOf } from '../data/entity.ts';
import type { QueryOptions } from '../data/query.ts';
import type { Scope } from '../data/scope.ts';

/** A back-fill of stored data: what every stored item of one kind needs once. docs/migrations.md has the rules. */
export interface Migration<E extends AnyEntity = AnyEntity> {
  /** Its number and its name, `1-test-key-values`. Never changed, because its progress is stored under it. */
  id: string;
  entity: E;
  filter?: NonNullable<QueryOptions['filter']>;
  uses: readonly Use[];
  /** Idempotent, also while another process does the same. @returns whether there was anything to do. */
  apply: (scope: Scope, item: ItemOf<E>) => Promise<boolean>;
}

export const defineMigration = <E extends AnyEntity>(migration: Migration<E>) => migration as Migration;
