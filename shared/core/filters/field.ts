export interface Filterable {
  type: string;
  name: string;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

/** The record's own fields. They shadow metadata keys of the same name. */
export const recordFields = ['name', 'type', 'createdAt', 'updatedAt'] as const;

/** The path of a shadowed metadata key. */
export const metadataFieldPath = (key: string) => `metadata.${key}`;

/** Resolves a field: the record's own field, else a metadata key, else a dotted path into the metadata. */
export function getFieldValue(record: Filterable, field: string): unknown {
  const recordField = recordFields.find((name) => name === field);
  if (recordField) return record[recordField];
  const { metadata } = record;
  if (isOwn(metadata, field)) return metadata[field];
  const held = field
    .split('.')
    .reduce<unknown>((value, key) => (isOwn(value, key) ? value[key] : undefined), metadata);
  const key = held === undefined && recordFields.find((name) => metadataFieldPath(name) === field);
  return key && isOwn(metadata, key) ? metadata[key] : held;
}

/** Excludes the length of a list, which is not a JSON member. */
const isOwn = (value: unknown, key: string): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.prototype.propertyIsEnumerable.call(value, key);

/** False for a missing, null or blank value. */
export const isSet = (held: unknown) =>
  held !== undefined && held !== null && !(typeof held === 'string' && held.trim() === '');
