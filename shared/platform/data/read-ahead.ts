import { type AnyEntity, decode, type ItemOf, type KeyOf } from './entity.ts';
import type { Key } from './keys.ts';
import type { Scope } from './scope.ts';
import type { TenantTable } from './table.ts';

type Attributes = Record<string, unknown>;

/** The first `getMany` also reads this item, so that its `get` takes no request. Costs at most one read. */
export function readAhead<E extends AnyEntity>(scope: Scope, entity: E, key: KeyOf<E>): Scope {
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

const isSame = (one: Key, other: Key) => nameKey(one) === nameKey(other);

/** The first `get` of each item takes no request; later ones see changes. @param items Just read consistently. */
export function preloadItems(
  scope: Scope,
  items: readonly (readonly [Key, Attributes | undefined])[],
): Scope {
  const { table } = scope;
  const left = new Map(items.map(([key, item]) => [nameKey(key), item]));
  const get = async (entity: AnyEntity, key: KeyOf<AnyEntity>, options?: { consistent?: boolean }) => {
    const name = nameKey(entity.key(key));
    if (!left.has(name)) return table.get(entity, key, options);
    const item = left.get(name);
    left.delete(name);
    return item && decode(entity, item);
  };
  return { ...scope, table: { ...table, get: get as TenantTable['get'] } };
}

const nameKey = ({ PK, SK }: Key) => JSON.stringify([PK.name, PK.isShared, SK]);
