import { ConditionFailed } from './condition-failed.ts';
import type { AnyEntity, ItemOf, KeyOf, StoredOf } from './entity.ts';
import { type RetryOptions, retryOnConflict } from './retry-on-conflict.ts';
import type { Changes, Condition, Write, Writes } from './writes.ts';

/** What becomes of an item that was read. What is written counts its `revision` up. */
export type Modification<E extends AnyEntity> = {
  /** What must hold of the stored item. Without it, the item must be as it was read. */
  condition?: Condition;
} & (
  | { update: Changes<E> }
  | (({ put: StoredOf<E> } | { remove: true }) & {
      /** Goes into the same transaction. */
      alsoWrite?: readonly Write[];
      /** Makes the error that is thrown where only writes of `beside` were refused. Without it, that is a conflict. */
      alsoWriteRefused?: () => Error;
    })
);

export interface ModifyOptions<Item> extends Omit<RetryOptions, 'isConflict'> {
  consistent?: boolean;
  /** The item, where it was read already. */
  known?: Item;
  /** Reads the item after a conflict; it may also be another one. */
  readAgain?: (before: Item) => Promise<Item | undefined>;
}

/** What `modify` needs of a table. */
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

type Revisioned<E extends AnyEntity> = E & (ItemOf<E> extends { revision: number } ? unknown : never);

/**
 * Reads an item, decides what becomes of it, and writes that if the item is still as it was read. When another writer
 * came between, it is read and decided anew.
 * @param decide Answers nothing where nothing is to be written.
 * @returns the item as it is then, or as it was before it was removed; nothing where there is none.
 * @throws ConditionFailed, or what `conflictError` makes, when others come between at every attempt.
 */
export async function modify<E extends AnyEntity>(
  this: ItemAccess,
  entity: Revisioned<E>,
  key: KeyOf<E>,
  decide: (item: ItemOf<E>) => Promise<Modification<E> | undefined> | Modification<E> | undefined,
  { consistent = false, known, readAgain, ...retry }: ModifyOptions<ItemOf<E>> = {},
): Promise<ItemOf<E> | undefined> {
  const read = () => this.get(entity, key, { consistent });
  let next = known ? async () => known as ItemOf<E> | undefined : read;
  return retryOnConflict(async () => {
    const item = await next();
    if (!item) return undefined;
    next = readAgain ? () => readAgain(item) : read;
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
  const own = after
    ? writes.put(entity, after as StoredOf<E>, condition)
    : writes.remove(entity, item, condition);
  try {
    await table.commit([own, ...alsoWrite]);
  } catch (error) {
    const isOther = error instanceof ConditionFailed && !error.failed.includes(0);
    throw (isOther && alsoWriteRefused?.()) || error;
  }
  return after ? entity.schema.parse(after) : item;
}

/** Holds for an item that nobody changed since it was read. */
export const isUnchanged = ({ revision }: { revision: number }): Condition => ({
  // Not :revision, which an update adds.
  expression: '#revision = :seen',
  values: { seen: revision },
});
