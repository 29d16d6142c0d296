import * as z from 'zod';
import { groupDigits } from '../../../core/text.ts';
import type { RowCount } from '../table.ts';
import { CountIsMinimum } from './counts.ts';
import { OffsetQuery } from './pages.ts';
import { Flag, wholeNumber } from './query-values.ts';

export const countedResultsMax = 1_000;

export const PageQuery = z.object({
  limit: OffsetQuery.shape.limit,
  page: wholeNumber(1, 10_000).default(1).meta({ description: '1 to 10,000, default 1' }),
  includeCount: Flag.optional().meta({
    description:
      `true adds total and totalPages. They cover ${groupDigits(countedResultsMax)} entries, or 1 MB of them: ` +
      'if the list may be longer, countIsMinimum is true',
  }),
});
export type PageQuery = z.output<typeof PageQuery>;

export const PagePagination = z
  .object({
    page: z.int(),
    limit: z.int(),
    hasMore: z.boolean(),
    hasPrev: z.boolean(),
    hasNextPage: z.boolean().meta({ description: 'The same as hasMore' }),
    hasPrevPage: z.boolean().meta({ description: 'The same as hasPrev' }),
    total: z.int().optional(),
    totalPages: z.int().optional(),
    countIsMinimum: CountIsMinimum,
  })
  .meta({ id: 'PagePagination' });
export type PagePagination = z.output<typeof PagePagination>;

/** @param found The rows, counted at least one past the page. */
export function pagePagination(
  { page, limit, includeCount }: PageQuery,
  { count, isMinimum }: RowCount,
): PagePagination {
  const hasMore = count > page * limit;
  const hasPrev = page > 1;
  return {
    page,
    limit,
    hasMore,
    hasPrev,
    hasNextPage: hasMore,
    hasPrevPage: hasPrev,
    ...(includeCount === 'true' && {
      total: count,
      totalPages: Math.ceil(count / limit),
      countIsMinimum: isMinimum,
    }),
  };
}
