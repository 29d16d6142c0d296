/**
 * The cursor pagination of the API: its query and response members, and the cursors themselves.
 *
 * A cursor names the id next to a page, the direction and the offset; it depends on nothing stored, so it never expires, and
 * stays valid while rows are added or removed. It is checked against the kind of the list. A page that found no row within the
 * bounds of `listing.ts` still has a cursor to go on from. Endpoints use `CursorQuery` and `CursorPagination`; stores call
 * `cursorPage`, or `paginateAll` for lists that they have read as a whole.
 */

import * as z from 'zod';
import { invalidAt } from '../../../core/errors/errors.ts';
import { getIdKind, type IdPrefix } from '../../../core/ids.ts';
import { groupDigits } from '../../../core/text.ts';
import type { TenantTable } from '../table.ts';
import { CountIsMinimum, countedMax, countMembers, countRows } from './counts.ts';
import { collectRows, type ListedItem, type ListSource } from './listing.ts';
import { Flag, wholeNumber } from './query-values.ts';

const limitMax = 100;

const Limit = wholeNumber(1, limitMax);

export const CursorQuery = z.object({
  limit: Limit.default(50).meta({ description: `1 to ${limitMax}, default 50` }),
  cursor: z.string().optional().meta({ description: 'The nextCursor or prevCursor of an earlier response' }),
  direction: z.enum(['next', 'prev']).optional().meta({ description: 'Must agree with the cursor' }),
  includeCount: Flag.optional().meta({
    description:
      `true adds totalCount, totalPages and currentPage. The count covers the newest ${groupDigits(countedMax)} ` +
      'entries, up to 2 MB of them (with filters of metadata, the newest 2,000 records, up to 8 MB): if the list may be ' +
      'longer, countIsMinimum is true',
  }),
});
export type CursorQuery = z.output<typeof CursorQuery>;

export const CursorPagination = z
  .object({
    nextCursor: z.string().nullable(),
    prevCursor: z.string().nullable(),
    hasMore: z.boolean(),
    hasPrev: z.boolean(),
    limit: z.int(),
    /** The offset of the first row in the whole list, from 0. */
    currentOffset: z.int(),
    totalCount: z.int().optional(),
    totalPages: z.int().optional(),
    currentPage: z.int().optional(),
    countIsMinimum: CountIsMinimum,
  })
  .meta({ id: 'CursorPagination' });
export type CursorPagination = z.output<typeof CursorPagination>;

export const OffsetQuery = z.object({
  limit: Limit.default(50).meta({ description: `1 to ${limitMax}, default 50` }),
  offset: wholeNumber(0, 1_000_000).default(0),
});

export const OffsetPagination = z
  .object({ limit: z.int(), offset: z.int(), returned: z.int(), hasMore: z.boolean() })
  .meta({ id: 'OffsetPagination' });

/** Beyond the number of items of any tenant, and small enough for exact arithmetic. */
const offsetMax = 1e9;

/** The content of a cursor: the direction, the id next to the page, and the offset of the page's first row. */
const Cursor = z.strictObject({
  to: z.enum(['next', 'prev']),
  id: z.string().regex(/^[a-z]+_[0-9a-z]{26}$/),
  offset: z.int().min(0).max(offsetMax),
  /** Set by a page without rows: the id itself is a row of the target page. */
  including: z.literal(true).optional(),
});

const encodeCursor = (cursor: z.infer<typeof Cursor>) =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url');

/** @param kind The id prefix of the list: a cursor of another list would be meaningless. */
function decodeCursor(
  { cursor, direction }: CursorQuery,
  kind: IdPrefix,
): z.infer<typeof Cursor> | undefined {
  if (cursor === undefined) {
    if (direction === 'prev')
      throw invalidAt(
        'direction',
        'INVALID_VALUE',
        'There is no page before the first one. Send the prevCursor of an earlier response',
      );
    return;
  }
  try {
    const parsed = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (getIdKind(parsed.id) !== kind) throw invalidListCursor(sendableCursors);
    if (direction && direction !== parsed.to) {
      throw invalidAt(
        'direction',
        'INVALID_VALUE',
        `The cursor leads to the ${parsed.to} page. Omit direction, or send "${parsed.to}"`,
      );
    }
    return parsed;
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) {
      throw invalidListCursor(sendableCursors);
    }
    throw error;
  }
}

const sendableCursors = 'nextCursor or prevCursor';

/** @param sendable The members of a response that are cursors. */
export const invalidListCursor = (sendable = 'nextCursor') =>
  invalidAt(
    'cursor',
    'INVALID_CURSOR',
    `Not a cursor of this list. Send the ${sendable} of an earlier response`,
  );

/** Newest first. With a filter, reads up to ten Queries and 2,000 read units, then returns a cursor to go on. */
export async function cursorPage(
  table: TenantTable,
  source: ListSource & { kind: IdPrefix },
  query: CursorQuery,
): Promise<{ rows: ListedItem[]; pagination: CursorPagination }> {
  const { limit } = query;
  const cursor = decodeCursor(query, source.kind);
  const backwards = cursor?.to === 'prev';
  const position = { backwards, cursor: cursor?.id, inclusive: cursor?.including };
  const [{ found, stoppedAt }, counted] = await Promise.all([
    collectRows(table, source, { wanted: limit + 1, ...position }),
    query.includeCount === 'true' && countRows(table, source),
  ]);
  const more = found.length > limit || stoppedAt !== undefined;
  const shown = found.slice(0, limit);
  const rows = backwards ? shown.toReversed() : shown;
  const offset = backwards ? Math.max(0, cursor.offset - rows.length) : (cursor?.offset ?? 0);
  const hasMore = backwards || more;
  const hasPrev = backwards ? more : cursor !== undefined;
  const nextFrom = (backwards ? undefined : stoppedAt) ?? getId(rows.at(-1)) ?? cursor?.id;
  const prevFrom = (backwards ? stoppedAt : undefined) ?? getId(rows[0]) ?? cursor?.id;
  const turned = rows.length === 0 && { including: true as const };
  return {
    rows,
    pagination: {
      nextCursor:
        hasMore && nextFrom
          ? encodeCursor({ to: 'next', id: nextFrom, offset: offset + rows.length, ...(backwards && turned) })
          : null,
      prevCursor:
        hasPrev && prevFrom
          ? encodeCursor({ to: 'prev', id: prevFrom, offset, ...(!backwards && turned) })
          : null,
      hasMore,
      hasPrev,
      limit,
      currentOffset: offset,
      ...(counted && countMembers(counted, { limit, offset })),
    },
  };
}

/** A page of a list that is short, so that it was read as a whole. Newest first. */
export function paginateAll<Row extends { id: string }>(
  all: readonly Row[],
  kind: IdPrefix,
  query: CursorQuery,
): { rows: Row[]; pagination: CursorPagination } {
  const { limit } = query;
  const sorted = all.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  const cursor = decodeCursor(query, kind);
  const countNewer = (id: string) => sorted.filter((row) => row.id > id).length;
  const end = cursor?.to === 'prev' ? countNewer(cursor.id) : undefined;
  const next = cursor && sorted.findIndex(({ id }) => id < cursor.id);
  const start = end === undefined ? (next === -1 ? sorted.length : (next ?? 0)) : Math.max(0, end - limit);
  const rows = sorted.slice(start, end ?? start + limit);
  const [first, last] = [rows[0], rows.at(-1)];
  const [hasPrev, hasMore] = [start > 0, start + rows.length < sorted.length];
  return {
    rows,
    pagination: {
      nextCursor:
        hasMore && last ? encodeCursor({ to: 'next', id: last.id, offset: start + rows.length }) : null,
      prevCursor: hasPrev && first ? encodeCursor({ to: 'prev', id: first.id, offset: start }) : null,
      hasMore,
      hasPrev,
      limit,
      currentOffset: start,
      ...(query.includeCount === 'true' &&
        countMembers({ count: sorted.length, isMinimum: false }, { limit, offset: start })),
    },
  };
}

/** The pagination of a list that is on one page. */
export const onePage = (
  count: number,
  { limit, includeCount }: Pick<CursorQuery, 'limit' | 'includeCount'>,
): CursorPagination => ({
  nextCursor: null,
  prevCursor: null,
  hasMore: false,
  hasPrev: false,
  limit,
  currentOffset: 0,
  ...(includeCount === 'true' && countMembers({ count, isMinimum: false }, { limit })),
});

const getId = (row: ListedItem | undefined) => row?.id as string | undefined;
