import { urlPart } from '../../core/text.ts';
import { RecordName } from '../../domain/records/record.ts';
import type { TypeAndName } from '../../domain/records/record-store.ts';

/** An opaque path: URL parsers leave names like ".." as they are. */
export const recordTemplate = 'record:{type}/{name}';

export const recordUri = ({ type, name }: TypeAndName) => `record:${urlPart(type)}/${urlPart(name)}`;

/** The type and name in a URI. Undefined for all others. */
export function recordOfUri(uri: string): TypeAndName | undefined {
  const [, type, name] = /^record:([^/]+)\/([^/]+)$/.exec(uri) ?? [];
  if (type === undefined || name === undefined || !uri.isWellFormed()) return undefined;
  try {
    const pair = { type: decodeURIComponent(type), name: decodeURIComponent(name) };
    return RecordName.safeParse(pair.name).success ? pair : undefined;
  } catch {
    return undefined;
  }
}
