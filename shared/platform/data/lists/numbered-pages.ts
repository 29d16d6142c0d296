import * as z from 'zod';
import { OffsetQuery, wholeNumber } from './pages.ts';

export const PageQuery = z.object({
  limit: OffsetQuery.shape.limit,
  page: wholeNumber(1, 10_000).default(1).meta({ description: '1 to 10,000, default 1' }),
  includeCount: z.enum(['true', 'false']).optional().meta({
    description: '"true" adds total and totalPages, which reads the whole list',
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
  })
  .meta({ id: 'PagePagination' });
export type PagePagination = z.output<typeof PagePagination>;

/** @param found The number of rows, counted at least one past the page. */
export function pagePagination({ page, limit, includeCount }: PageQuery, found: number): PagePagination {
  const hasMore = found > page * limit;
  const hasPrev = page > 1;
  return {
    page,
    limit,
    hasMore,
    hasPrev,
    hasNextPage: hasMore,
    hasPrevPage: hasPrev,
    ...(includeCount === 'true' && { total: found, totalPages: Math.ceil(found / limit) }),
  };
}
