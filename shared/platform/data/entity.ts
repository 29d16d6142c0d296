/**
 * An entity is a value: its type, its schema, its keys and how it is stored. `encode` and `decode` are the only ways between a
 * domain object and an item of the table.
 *
 * An item has `_type`, and `_v` where its shape is numbered; an older shape is converted on reading (docs/migrations.md). The
 * fields of `summary` are nested, because that is what the indexes project; those of `packing` are compressed into one
 * attribute, which no expression can name. `table.ts` reads with it, `writes.ts` writes with it. Where requests name an item,
 * `noun` is what its 404 and its 409 call it.
 */

import type * as z from 'zod';
import { conflict, notFound } from '../../core/errors/errors.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { log } from '../../core/log.ts';
import { capitalise } from '../../core/text.ts';
import { isListedUntil } from './expiry.ts';
import { type IndexKeys, type Key, toStoredIndexKeys, toStoredKey } from './keys.ts';

type Attributes = Record<string, unknown>;

/** `KeyOf` names the fields of the key; the table adds the tenant. */
export interface Entity<
  S extends z.ZodObject = z.ZodObject,
  KeyOf extends object = object,
  Summary extends keyof z.infer<S> = never,
> {
  type: string;
  /** In lower case, for the errors of requests that name an item. */
  noun?: string | undefined;
  schema: S;
  key: (source: KeyOf) => Key;
  index?: (item: z.input<S>) => IndexKeys;
  /** The fields that lists return. Stored together, so that a list reads them instead of whole items. */
  summary?: readonly Summary[];
  /** Fields that only whole items have, and no expression names. */
  packing?: Packing<keyof z.infer<S>>;
  /** The number of the shape that is written. Items state theirs in `_v`; without it, it is 1. */
  shape?: number;
  /** From an older shape, or the next release's. Members of this shape must win (docs/migrations.md). */
  convert?: (item: Attributes, shape: number) => Attributes;
}

/** Items in an older shape, as a filter. */
export const toOlderShapeFilter = (entity: AnyEntity) => ({
  expression: '(attribute_not_exists(#_v) OR #_v < :shape)',
  values: { shape: entity.shape ?? 1 },
});

export const defineEntity = <
  S extends z.ZodObject,
  KeyOf extends object,
  const Summary extends keyof z.infer<S> = never,
  Noun extends string | undefined = undefined,
>(
  entity: Entity<S, KeyOf, Summary> & { noun?: Noun },
) => entity as Entity<S, KeyOf, Summary> & { noun: Noun };

// biome-ignore lint/suspicious/noExplicitAny: stands for entities of every shape, and key functions are contravariant
export type AnyEntity = Entity<any, any, any>;
/** One whose items callers name. */
export type NamedEntity = AnyEntity & { noun: string };
export type ItemOf<E extends AnyEntity> = z.infer<E['schema']>;
/** The input of the schema, which is what is written. It differs from the output if the schema transforms. */
export type StoredOf<E extends AnyEntity> = z.input<E['schema']>;
export type KeyOf<E extends AnyEntity> = Parameters<E['key']>[0];
export type SummaryOf<E extends AnyEntity> =
  E extends Entity<infer S, infer _K, infer Summary> ? Pick<z.infer<S>, Summary> : never;

export function encode(entity: AnyEntity, tenant: string, item: Attributes): Attributes {
  const stored: Attributes = {
    ...item,
    ...toStoredKey(tenant, entity.key(item)),
    ...toStoredIndexKeys(tenant, entity.index?.(item) ?? {}),
    _type: entity.type,
    ...(entity.shape && { _v: entity.shape }),
  };
  const packed = entity.packing ? pack(entity.packing, stored) : stored;
  const listedUntil = isListedUntil(entity) && item.ttl !== undefined && { ttl: item.ttl };
  if (!entity.summary) return listedUntil ? { ...packed, summary: listedUntil } : packed;
  const summary: Attributes = { ...listedUntil };
  for (const field of entity.summary as string[]) {
    summary[field] = packed[field];
    delete packed[field];
  }
  return { ...packed, summary };
}

/** Decodes a stored item. Drops unknown attributes. @throws if an attribute is missing. */
export function decode<E extends AnyEntity>(entity: E, stored: Attributes): ItemOf<E> {
  const { summary, _v = 1, ...rest } = stored;
  const { shape = 1, convert, packing } = entity;
  const fields = { ...(packing ? unpack(packing, rest) : rest), ...(summary as Attributes) };
  const item = convert && _v !== shape ? convert(fields, _v as number) : fields;
  return entity.schema.parse(item) as ItemOf<E>;
}

/** Decodes the items of a list. Logs and skips unreadable ones, so that one item does not break the list (D111). */
export const decodeReadable = <E extends AnyEntity>(
  entity: E,
  stored: readonly (Attributes | undefined)[],
): ItemOf<E>[] =>
  stored.flatMap((item) => {
    try {
      return item ? [decode(entity, item)] : [];
    } catch (error) {
      log.error('A stored item is unreadable', { error, type: entity.type, key: [item?.PK, item?.SK] });
      return [];
    }
  });

/** The same for unknown ids and for those of other tenants. */
export const createMissingError = ({ noun }: { noun: string }) => notFound(capitalise(noun));
export const createConflictError = ({ noun }: { noun: string }) =>
  conflict(`The ${noun} was changed by another request at the same time; read it again and retry`);

export const toAttributePath = (entity: AnyEntity, field: string) =>
  (entity.summary as string[] | undefined)?.includes(field) ? `#summary.#${field}` : `#${field}`;

/**
 * Fields of an item that are stored together, compressed: a write unit is 1 KB. No condition, filter or update can name
 * them.
 */
export interface Packing<Field extends PropertyKey = PropertyKey> {
  fields: readonly Field[];
  /**
   * Texts that the JSON of these fields is likely to contain, which then take a few bytes. The last one is for writing. What
   * is stored can only be read with the text that it was written with: add another one instead of changing one.
   */
  dictionaries: readonly string[];
}

// Loaded for the first packed item.
const zlib = () => process.getBuiltinModule('node:zlib');

/** Replaces the fields by `packed`: the place of the dictionary as a byte, then deflated JSON (D65). */
function pack({ fields, dictionaries }: Packing, item: Attributes): Attributes {
  const rest = { ...item };
  const taken: Attributes = {};
  for (const field of fields as readonly string[]) {
    taken[field] = rest[field];
    delete rest[field];
  }
  const place = dictionaries.length - 1;
  const dictionary = toDictionary(dictionaries[place]);
  const json = Buffer.from(JSON.stringify(taken));
  const deflated = zlib().deflateRawSync(json, {
    dictionary,
    ...fitBuffers(dictionary.length + json.length),
  });
  return { ...rest, packed: Buffer.concat([Buffer.of(place), deflated]) };
}

const keptDictionaries = new Map<string, Buffer>();

function toDictionary(text = ''): Buffer {
  const dictionary = keptDictionaries.get(text) ?? Buffer.from(text);
  keptDictionaries.set(text, dictionary);
  return dictionary;
}

/** As small as the bytes allow. zlib's own settings take 280 KB for each item, which cost more than the compression. */
function fitBuffers(bytes: number) {
  const windowBits = Math.min(15, Math.max(9, Math.ceil(Math.log2(bytes))));
  return { windowBits, memLevel: windowBits - 7, chunkSize: 2 ** (windowBits - 1) };
}

/** The fields of an item. One that was stored before its fields were packed has them as attributes. */
export function unpack({ dictionaries }: Packing, { packed, ...rest }: Attributes): Attributes {
  if (!(packed instanceof Uint8Array)) return rest;
  const dictionary = toDictionary(dictionaries[packed[0] ?? -1]);
  const chunkSize = Math.min(16_384, Math.max(1_024, packed.length * 4));
  const json = zlib().inflateRawSync(packed.subarray(1), { dictionary, chunkSize });
  return { ...rest, ...(parseExact(json.toString()) as Attributes) };
}
