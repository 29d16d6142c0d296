import { isSet, metadataFieldPath, recordFields, valueOfField } from '../../core/filters/field.ts';
import type { RecordItem } from './record.ts';

/** The metadata fields that are set, named as in filters: keys, and dotted paths of nested values. */
export function* metadataFields(record: RecordItem): Generator<[name: string, value: unknown], void> {
  const seen = new Set<string>();
  for (const [path, value] of leavesOf(record.metadata)) {
    const name = recordFields.some((own) => own === path) ? metadataFieldPath(path) : path;
    // If a key contains a dot and equals a path, filters read the key.
    if (!isSet(value) || seen.has(name) || valueOfField(record, name) !== value) continue;
    seen.add(name);
    yield [name, value];
  }
}

function* leavesOf(object: object, prefix = ''): Generator<[path: string, value: unknown], void> {
  for (const [key, value] of Object.entries(object)) {
    const isInner = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isInner && Object.keys(value).length > 0) yield* leavesOf(value, `${prefix}${key}.`);
    else yield [prefix + key, value];
  }
}
