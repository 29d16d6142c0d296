/** What a filter can ask of a record. */
export interface Filterable {
  type: string;
  name: string;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

/** The fields of a record itself. They hide keys of its metadata that are called the same. */
export const recordFields = ['name', 'type', 'createdAt', 'updatedAt'] as const;

/** The field that means a hidden key of the metadata. */
export const metadataPath = (key: string) => `metadata.${key}`;

/** A field of the record itself, a key of its metadata, or else where a dotted path leads in there. */
export function valueOfField(record: Filterable, field: string): unknown {
  const own = recordFields.find((name) => name === field);
  if (own) return record[own];
  const { metadata } = record;
  if (isOwn(metadata, field)) return metadata[field];
  const held = field
    .split('.')
    .reduce<unknown>((value, key) => (isOwn(value, key) ? value[key] : undefined), metadata);
  const key = held === undefined && recordFields.find((name) => metadataPath(name) === field);
  return key && isOwn(metadata, key) ? metadata[key] : held;
}

/** Also false for the length of a list, which is no member that JSON shows. */
const isOwn = (value: unknown, key: string): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.prototype.propertyIsEnumerable.call(value, key);

/** False for a field that is missing, null or blank. */
export const isSet = (held: unknown) =>
  held !== undefined && held !== null && !(typeof held === 'string' && held.trim() === '');
