import type * as z from 'zod';
import { log } from '../../core/log.ts';
import { type IndexKeys, type Key, storedIndexKeys, storedKey } from './keys.ts';

/** How one kind of item is keyed and parsed. Keys are made of the fields that `KeyOf` names; the table adds the tenant. */
export interface Entity<
  S extends z.ZodObject = z.ZodObject,
  KeyOf extends object = object,
  Summary extends keyof z.infer<S> = never,
> {
  type: string;
  schema: S;
  key: (source: KeyOf) => Key;
  index?: (item: z.input<S>) => IndexKeys;
  /** The fields that lists show: kept together, so that a list reads these and not whole items. */
  summary?: readonly Summary[];
}

export const defineEntity = <
  S extends z.ZodObject,
  KeyOf extends object,
  const Summary extends keyof z.infer<S> = never,
>(
  entity: Entity<S, KeyOf, Summary>,
) => entity;

// biome-ignore lint/suspicious/noExplicitAny: stands for entities of every shape, and key functions are contravariant
export type AnyEntity = Entity<any, any, any>;
export type ItemOf<E extends AnyEntity> = z.infer<E['schema']>;
/** An item as its schema takes it: what is written. It differs from what is read where the schema transforms. */
export type StoredOf<E extends AnyEntity> = z.input<E['schema']>;
export type KeyOf<E extends AnyEntity> = Parameters<E['key']>[0];
export type SummaryOf<E extends AnyEntity> =
  E extends Entity<infer S, infer _K, infer Summary> ? Pick<z.infer<S>, Summary> : never;

type Attributes = Record<string, unknown>;

/** An item as it is stored. */
export function encode(entity: AnyEntity, tenant: string, item: Attributes): Attributes {
  const stored: Attributes = {
    ...item,
    ...storedKey(tenant, entity.key(item)),
    ...storedIndexKeys(tenant, entity.index?.(item) ?? {}),
    _type: entity.type,
  };
  if (!entity.summary) return stored;
  const summary: Attributes = {};
  for (const field of entity.summary as string[]) {
    summary[field] = stored[field];
    delete stored[field];
  }
  return { ...stored, summary };
}

/** An item as the program knows it. Unknown attributes are left out; a missing one throws. */
export function decode<E extends AnyEntity>(entity: E, stored: Attributes): ItemOf<E> {
  const { summary, ...rest } = stored;
  return entity.schema.parse({ ...rest, ...(summary as Attributes) }) as ItemOf<E>;
}

/** The items of a list that can be read. The log names the others, so that one of them does not take the list along. */
export const decodeReadable = <E extends AnyEntity>(
  entity: E,
  stored: readonly (Attributes | undefined)[],
): ItemOf<E>[] =>
  stored.flatMap((item) => {
    try {
      return item ? [decode(entity, item)] : [];
    } catch (error) {
      log.error('A stored item cannot be read', { error, type: entity.type, key: [item?.PK, item?.SK] });
      return [];
    }
  });

/** The path of a field inside the stored item, for an expression. */
export const attributePath = (entity: AnyEntity, field: string) =>
  (entity.summary as string[] | undefined)?.includes(field) ? `#summary.#${field}` : `#${field}`;
