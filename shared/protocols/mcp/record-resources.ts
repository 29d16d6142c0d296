import type { ListResourcesResult, Resource } from '@modelcontextprotocol/server';
import { pageAcross, pageMax } from '../../adapters/mcp-server/pages.ts';
import type { Completion, ServedMcp } from '../../adapters/mcp-server/served.ts';
import { ifMissing, invalidAt } from '../../core/errors/errors.ts';
import { wellFormed, wellFormedOnly } from '../../core/name.ts';
import { type RecordItem, recordsRange } from '../../domain/records/record.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import { collectRows } from '../../platform/data/lists/listing.ts';
import { cursorPage } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { recordOfUri, recordTemplate, recordUri } from './record-uri.ts';

type Resources = NonNullable<ServedMcp['resources']>;

const mimeType = 'application/json';

/** The records of some types as resources: type by type, newest first. */
export function recordResources(scope: Scope, types: readonly string[]): Resources {
  const records = recordStore(scope);

  async function list(cursor: string | undefined): Promise<ListResourcesResult> {
    // One Query for each type that ends in the page.
    const { rows, ...rest } = await pageAcross(types, cursor, async (type, query) => {
      const page = await cursorPage(scope.table, sourceOf(type), query);
      const resources = page.rows.map(({ name }) => resourceOf(type, String(name)));
      return { rows: resources, nextCursor: page.pagination.nextCursor };
    });
    return { resources: rows, ...rest };
  }

  async function read(uri: string) {
    const pair = recordOfUri(uri);
    if (!pair || !types.includes(pair.type)) return undefined;
    const id = await records.idOf(pair);
    const record = id === undefined ? undefined : await records.get(id).catch(ifMissing(undefined));
    // It may have been renamed between the two reads.
    if (record?.type !== pair.type || record.name !== pair.name) return undefined;
    return { contents: [{ uri, mimeType, text: JSON.stringify(contentOf(record)) }] };
  }

  return { templates: [templateOf(types)], list, read };
}

/** Completes `recordTemplate`. Names are those of the newest 1,000 records of the type that contain the value. @throws 400 */
export async function completedRecord(
  { table }: Scope,
  types: readonly string[],
  argument: { name: string; value: string },
  given: Record<string, string>,
): Promise<Completion | undefined> {
  if (!wellFormed(argument.value)) throw invalidAt('argument.value', 'INVALID_VALUE', wellFormedOnly);
  const value = argument.value.toLowerCase();
  if (argument.name === 'type') {
    return { values: types.filter((type) => type.toLowerCase().startsWith(value)) };
  }
  if (argument.name !== 'name') return undefined;
  const type = given.type ?? (types.length === 1 ? types[0] : undefined);
  if (type === undefined || !types.includes(type)) return { values: [] };
  const filter = { expression: 'contains(#summary.#search, :search)', values: { search: value } };
  const source = { ...sourceOf(type), ...(value !== '' && { filter }) };
  const { found, stoppedAt } = await collectRows(table, source, { wanted: pageMax, queries: 1 });
  return { values: found.map(({ name }) => String(name)), hasMore: stoppedAt !== undefined };
}

const sourceOf = (type: string) => ({ ...recordsRange(type), kind: 'record' as const });

const resourceOf = (type: string, name: string): Resource => ({
  uri: recordUri({ type, name }),
  name,
  description: `A record of the type ${type}`,
  mimeType,
});

const templateOf = (types: readonly string[]) => ({
  uriTemplate: recordTemplate,
  name: 'record',
  title: 'A record by its type and name',
  mimeType,
  description: `The metadata and messages of a record, as JSON. Types: ${types.join(', ')}`,
});

/** Without the ids of the tenant. */
const contentOf = ({ type, name, metadata, messages, createdAt, updatedAt }: RecordItem) => ({
  type,
  name,
  metadata,
  messages,
  createdAt,
  updatedAt,
});
