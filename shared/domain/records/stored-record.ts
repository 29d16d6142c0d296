import type { Filterable } from '../../core/filters/field.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import type { LazyItem } from '../../platform/data/requests/lazy-items.ts';
import type { RecordItem } from './record.ts';

/** What filters look at. */
export type FilteredRecord = Filterable & Pick<RecordItem, 'search' | 'importId'>;
export type RecordTest = (record: FilteredRecord) => boolean;

class Unreadable extends Error {}

/** A record as it is stored, of which no more is parsed than a filter looks at. */
export class StoredRecord implements FilteredRecord {
  readonly #item: LazyItem;
  readonly #metadataText: unknown;
  #metadata: Record<string, unknown> | undefined;

  constructor(item: LazyItem) {
    this.#item = item;
    this.#metadataText = item.get('metadata');
  }

  /** One that is unreadable may match: decoding it says so. */
  mayMatch(isMatch: RecordTest): boolean {
    try {
      return isMatch(this);
    } catch (error) {
      if (error instanceof Unreadable) return true;
      throw error;
    }
  }

  get metadataBytes() {
    return Buffer.byteLength(String(this.#metadataText));
  }

  get type() {
    return this.#text('type');
  }

  get name() {
    return this.#text('name');
  }

  get search() {
    return this.#text('search');
  }

  get importId() {
    return this.#item.get('importId') as string | undefined;
  }

  get createdAt() {
    return this.#text('createdAt');
  }

  get updatedAt() {
    return this.#text('updatedAt');
  }

  get metadata() {
    this.#metadata ??= parseMetadata(this.#metadataText);
    return this.#metadata;
  }

  #text(field: string): string {
    const summary = this.#item.get('summary') as Record<string, unknown> | undefined;
    const value = summary && Object.hasOwn(summary, field) ? summary[field] : this.#item.get(field);
    if (typeof value !== 'string') throw new Unreadable();
    return value;
  }
}

function parseMetadata(text: unknown): Record<string, unknown> {
  if (typeof text !== 'string') throw new Unreadable();
  let parsed: unknown;
  try {
    parsed = parseExact(text);
  } catch {
    throw new Unreadable();
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Unreadable();
  // The schema of metadata leaves it out.
  if (Object.hasOwn(parsed, '__proto__')) Reflect.deleteProperty(parsed, '__proto__');
  return parsed as Record<string, unknown>;
}
