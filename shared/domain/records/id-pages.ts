import type { Scope } from '../../platform/data/scope.ts';
import { recordsRange } from './record.ts';

/** Records may have 400 KB each, and those of one page are in memory together. */
export const idsPerPage = 200;

/** The ids of all records, or of those of a type, newest first. */
export async function* idPages(
  { table }: Scope,
  type?: string,
  pageSize = idsPerPage,
): AsyncGenerator<string[], void> {
  const range = recordsRange(type);
  for await (const items of table.pages({ ...range, newestFirst: true, limit: pageSize })) {
    yield items.map((item) => item[`SK${range.index}`] as string);
  }
}
