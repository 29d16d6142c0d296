import { parseExact } from '../../core/json/exact-json.ts';

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

type Attributes = Record<string, unknown>;

// Loaded for the first packed item.
const zlib = () => process.getBuiltinModule('node:zlib');

/** Replaces the fields by `packed`: the place of the dictionary as a byte, then deflated JSON. */
export function pack({ fields, dictionaries }: Packing, item: Attributes): Attributes {
  const rest = { ...item };
  const taken: Attributes = {};
  for (const field of fields as readonly string[]) {
    taken[field] = rest[field];
    delete rest[field];
  }
  const place = dictionaries.length - 1;
  const dictionary = Buffer.from(dictionaries[place] ?? '');
  const deflated = zlib().deflateRawSync(JSON.stringify(taken), { dictionary });
  return { ...rest, packed: Buffer.concat([Buffer.of(place), deflated]) };
}

/** The fields of an item. One that was stored before its fields were packed has them as attributes. */
export function unpack({ dictionaries }: Packing, { packed, ...rest }: Attributes): Attributes {
  if (!(packed instanceof Uint8Array)) return rest;
  const dictionary = Buffer.from(dictionaries[packed[0] ?? -1] ?? '');
  const json = zlib().inflateRawSync(packed.subarray(1), { dictionary });
  return { ...rest, ...(parseExact(json.toString()) as Attributes) };
}
