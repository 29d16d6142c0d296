interface Pagination {
  nextCursor?: string | null;
  hasMore?: boolean;
  offset?: number;
  page?: number;
}

export type Page = Record<string, unknown> & Pagination & { pagination?: Pagination };
type Next = { cursor: string } | { offset: number } | { page: number } | undefined;

/** How the query of the next page follows from a page; undefined after the last page. */
const nextOf = {
  cursor({ pagination, nextCursor }: Page): Next {
    const cursor = pagination ? pagination.nextCursor : nextCursor;
    return cursor ? { cursor } : undefined;
  },
  offset({ pagination: { hasMore, offset = 0 } = {} }: Page, count: number): Next {
    return hasMore && count > 0 ? { offset: offset + count } : undefined;
  },
  page({ pagination: { hasMore, page = 1 } = {} }: Page): Next {
    return hasMore ? { page: page + 1 } : undefined;
  },
};

export interface Paging {
  /** The query parameter that selects a page. */
  by: keyof typeof nextOf;
  /** The member of the response with the items. */
  items: string;
}

/** The items of every page. @param read Reads the page that a part of the query selects. */
export async function* itemsOfPages(
  { by, items }: Paging,
  read: (next: object) => Promise<Page>,
): AsyncGenerator<unknown, void, undefined> {
  let next: Next | object = {};
  while (next) {
    const page = await read(next);
    const rows = page[items] as readonly unknown[];
    yield* rows;
    next = nextOf[by](page, rows.length);
  }
}
