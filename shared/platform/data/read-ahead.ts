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

const isSame = (one: Key, other: Key) => nameOf(one) === nameOf(other);

/**
 * A scope whose first `get` of each of these items takes no request, because the items were just read, with consistent
 * reads. Later ones see changes. @param items By key; `undefined` for a missing one.
 */
export function alreadyRead(scope: Scope, items: readonly (readonly [Key, Attributes | undefined])[]): Scope {
  const { table } = scope;
  const left = new Map(items.map(([key, item]) => [nameOf(key), item]));
  const get = async (entity: AnyEntity, key: KeyOf<AnyEntity>, options?: { consistent?: boolean }) => {
    const name = nameOf(entity.key(key));
    if (!left.has(name)) return table.get(entity, key, options);
    const item = left.get(name);
    left.delete(name);
    return item && decode(entity, item);
  };
  return { ...scope, table: { ...table, get: get as TenantTable['get'] } };
}

const nameOf = ({ PK, SK }: Key) => JSON.stringify([PK.name, PK.isShared, SK]);
