import type { Scope } from '../../platform/data/scope.ts';
import { recordsRange } from './record.ts';

/** A record may have 400 KB, and a page of records is in memory at once. */
export const idsPerPage = 200;

/** The ids of all records, or of one type, newest first. */
export async function* idPages(
  { table }: Scope,
  type?: string,
  pageSize = idsPerPage,
): AsyncGenerator<string[], void> {
  const range = recordsRange(type);
  for await (const items of table.pages({ ...range, newestFirst: true, perQuery: pageSize })) {
    yield items.map((item) => item[`SK${range.index}`] as string);
  }
}
