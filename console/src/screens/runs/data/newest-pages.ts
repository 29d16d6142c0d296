interface Row {
  id: string;
}
export interface RunListPage<R extends Row> {
  data: R[];
  pagination: { nextCursor: string | null; hasMore: boolean; limit: number };
}

/** Ids of all kinds have the time of the start in their last 26 characters. */
const placeOf = ({ id }: Row) => id.slice(-26);

/**
 * The pages of a list with its first page as it is now: new runs at the top, changed ones in their place, without those
 * that the filter does not match any more. The other pages remain, so their cursors do too. If there are more new runs
 * than a page has, the list begins anew.
 */
export function withNewest<R extends Row>(
  pages: readonly RunListPage<R>[],
  fresh: RunListPage<R>,
): readonly RunListPage<R>[] {
  const [first, ...rest] = pages;
  const oldest = fresh.data.at(-1);
  if (!first || fresh.pagination.nextCursor === null) return [fresh];
  if (!oldest) return pages;
  const ids = new Set(pages.flatMap(({ data }) => data.map(({ id }) => id)));
  if (ids.size > 0 && !fresh.data.some(({ id }) => ids.has(id))) return [fresh];
  const isOlder = (row: R) => placeOf(row) < placeOf(oldest);
  return [
    { data: [...fresh.data, ...first.data.filter(isOlder)], pagination: first.pagination },
    ...rest.map((page) => ({ ...page, data: page.data.filter(isOlder) })),
  ];
}
