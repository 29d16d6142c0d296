import { type AnyEntity, decode, type ItemOf, type KeyOf } from './entity.ts';
import type { Key } from './keys.ts';
import type { Scope } from './scope.ts';
import type { TenantTable } from './table.ts';

type Attributes = Record<string, unknown>;

/**
 * A scope whose first `getMany` also reads an item that is probably wanted next, so that the `get` of that item takes no
 * request. A wrong guess costs the capacity of one read.
 */
export function readingAhead<E extends AnyEntity>(scope: Scope, entity: E, key: KeyOf<E>): Scope {
  const { table } = scope;
  const wanted = entity.key(key);
  let state: 'before' | 'read' | 'used' = 'before';
  let item: Promise<Attributes | undefined>;

  const getMany: TenantTable['getMany'] = async (keys, options) => {
    if (state !== 'before') return table.getMany(keys, options);
    state = 'read';
    const reading = table.getMany([...keys, wanted], options);
    item = reading.then((items) => items.at(-1));
    // Its failure is that of the items that were asked for.
    item.catch(() => {});
    return (await reading).slice(0, keys.length);
  };

  const get = async (asked: E, askedKey: KeyOf<E>, options?: { consistent?: boolean }) => {
    const isWanted = asked === entity && isSame(asked.key(askedKey), wanted) && !options?.consistent;
    if (!isWanted || state !== 'read') return table.get(asked, askedKey, options);
    // Whoever asks again wants to see changes.
    state = 'used';
    const found = await item;
    return found && (decode(entity, found) as ItemOf<E>);
  };
  return { ...scope, table: { ...table, getMany, get: get as TenantTable['get'] } };
}

const isSame = (one: Key, other: Key) =>
  one.PK.name === other.PK.name && one.PK.isShared === other.PK.isShared && one.SK === other.SK;
