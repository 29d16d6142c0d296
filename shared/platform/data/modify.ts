/**
 * Changes one item by optimistic locking: read, decide, write if its `revision` is still the same; after a conflict read
 * consistently and decide again.
 *
 * It is a method of the tenant's table (`table.modify`; `table.change` where a caller names the item), and the usual way in
 * which stores change their items. `decide` may run
 * several times and must therefore have no effects of its own. The write increments `revision`; with `alsoWrite` it is a
 * transaction, and all or nothing is stored.
 */

import { ConditionFailed } from './condition-failed.ts';
import type { AnyEntity, ItemOf, KeyOf, StoredOf } from './entity.ts';
import { type RetryOptions, retryOnConflict } from './retry-on-conflict.ts';
import type { Changes, Write, WriteCondition, Writes } from './writes.ts';

/** The change of an item that was read. Each write increments `revision`. */
export type Modification<E extends AnyEntity> = {
  /** The condition on the stored item. By default, the item must be unchanged since it was read. */
  condition?: WriteCondition;
} & (
  | { update: Changes<E> }
  | (({ put: StoredOf<E> } | { remove: true }) & {
      /** Further writes for the same transaction. */
      alsoWrite?: readonly Write[];
      /** Creates the error to throw if only `alsoWrite` was refused. Without it, that counts as a conflict. */
      alsoWriteRefused?: () => Error;
    })
);

export interface ModifyOptions<Item> extends Omit<RetryOptions, 'isConflict'> {
  consistent?: boolean;
  /** The item, if it was read before. */
  current?: Item;
  /** Reads the item after a conflict. May return another item. */
  readAgain?: (before: Item) => Promise<Item | undefined>;
}

/** The parts of a table that `modify` uses. */
interface ItemAccess {
  writes: Writes;
  get<E extends AnyEntity>(
    entity: E,
    key: KeyOf<E>,
    options?: { consistent?: boolean },
  ): Promise<ItemOf<E> | undefined>;
  commit(writes: readonly Write[]): Promise<void>;
  updateAndGet<E extends AnyEntity>(entity: E, write: Write): Promise<ItemOf<E>>;
}

export type Revisioned<E extends AnyEntity> = E & (ItemOf<E> extends { revision: number } ? unknown : never);

export type Decide<E extends AnyEntity> = (
  item: ItemOf<E>,
) => Promise<Modification<E> | undefined> | Modification<E> | undefined;

/**
 * Reads an item, decides on a change, and writes it if the item is unchanged. After a conflict it reads and decides
 * again.
 * @param decide Returns `undefined` to write nothing.
 * @returns the changed item, or the item before its removal; `undefined` if there is none.
 * @throws ConditionFailed, or the error of `conflictError`, after conflicts on every attempt.
 */
export async function modify<E extends AnyEntity>(
  this: ItemAccess,
  entity: Revisioned<E>,
  key: KeyOf<E>,
  decide: Decide<E>,
  { consistent = false, current, readAgain, ...retry }: ModifyOptions<ItemOf<E>> = {},
): Promise<ItemOf<E> | undefined> {
  const read = (options: { consistent: boolean }) => this.get(entity, key, options);
  let next = async () => (current as ItemOf<E> | undefined) ?? read({ consistent });
  return retryOnConflict(async () => {
    const item = await next();
    if (!item) return undefined;
    // Consistent: an old copy would only conflict again.
    next = () => (readAgain ? readAgain(item) : read({ consistent: true }));
    const modification = await decide(item);
    return modification ? write(this, entity, item, modification) : item;
  }, retry);
}

async function write<E extends AnyEntity>(
  table: ItemAccess,
  entity: E,
  item: ItemOf<E>,
  { condition = isUnchanged(item as { revision: number }), ...change }: Modification<E>,
): Promise<ItemOf<E>> {
  const { writes } = table;
  if ('update' in change) {
    const add = { ...change.update.add, revision: 1 };
    return table.updateAndGet(entity, writes.update(entity, item, { ...change.update, add }, condition));
  }
  const { alsoWrite = [], alsoWriteRefused } = change;
  const after = 'put' in change ? { ...(change.put as object), revision: item.revision + 1 } : undefined;
  const itemWrite = after
    ? writes.put(entity, after as StoredOf<E>, condition)
    : writes.remove(entity, item, condition);
  try {
    await table.commit([itemWrite, ...alsoWrite]);
  } catch (error) {
    const isOther = error instanceof ConditionFailed && !error.failed.includes(0);
    throw (isOther && alsoWriteRefused?.()) || error;
  }
  return after ? entity.schema.parse(after) : item;
}

/** Holds if the item is unchanged since it was read. */
export const isUnchanged = ({ revision }: { revision: number }): WriteCondition => ({
  // Not `:revision`: updates use that name.
  expression: '#revision = :seen',
  values: { seen: revision },
});
