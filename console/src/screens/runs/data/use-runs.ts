import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ConsoleApi, type OperationResponse, useApi } from '../../../api/api.ts';
import { callKey } from '../../../api/queries.ts';
import { nextAskMs } from '../../../api/retries.ts';
import { eachOnce } from './each-once.ts';
import { type RunFilters, runsQuery } from './filters.ts';
import { withNewest } from './newest-pages.ts';

type Page = OperationResponse<'runs.list'>;
export type ListedRun = Page['data'][number];
type Pages = InfiniteData<Page, string | undefined>;

export const isUnfinished = ({ status }: Pick<ListedRun, 'status'>) =>
  status === 'running' || status === 'scheduled' || status === 'paused';

/** While something runs, the list changes often. A tab in the background does not ask. */
const everyMs = { open: 3_000, idle: 10_000 };

interface Shown {
  /** A list whose address cannot be read shows nothing. */
  enabled?: boolean;
  /** Whether more can come. */
  isLive?: boolean;
  limit?: number;
}

/** The runs that match, newest first. New runs, and changes of those on the first page, appear by themselves. */
export function useRuns(filters: RunFilters, { enabled = true, isLive = true, limit = 50 }: Shown = {}) {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = callKey('runs.list', [filters, limit, 'pages']);
  const pages = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) => ask(api, { filters, limit, cursor, signal }),
    getNextPageParam: ({ pagination }) => pagination.nextCursor ?? undefined,
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const first = pages.data?.pages[0];
  const newest = useQuery({
    queryKey: callKey('runs.list', [filters, limit, 'newest']),
    queryFn: async ({ signal }) => {
      const fresh = await ask(api, { filters, limit, signal });
      queries.setQueryData<Pages>(queryKey, (cachedPages) => cachedPages && mergedWith(cachedPages, fresh));
      return fresh;
    },
    enabled: enabled && first !== undefined,
    ...(first && { initialData: first, initialDataUpdatedAt: pages.dataUpdatedAt }),
    refetchInterval: ({ state: { data, error } }) =>
      nextAskMs(!isLive ? false : data?.data.some(isUnfinished) ? everyMs.open : everyMs.idle, error),
  });
  const rows = useMemo(() => pages.data && eachOnce(pages.data.pages), [pages.data]);
  return { ...pages, rows, error: pages.error ?? newest.error };
}

interface Asked {
  filters: RunFilters;
  limit: number;
  cursor?: string | undefined;
  signal: AbortSignal;
}

const ask = (api: ConsoleApi, { filters, limit, cursor, signal }: Asked) =>
  api.runs.list({
    query: { ...runsQuery(filters, Date.now()), limit, ...(cursor && { cursor }) },
    signal,
  });

function mergedWith(cachedPages: Pages, fresh: Page): Pages {
  const pages = [...withNewest(cachedPages.pages, fresh)];
  return { pages, pageParams: cachedPages.pageParams.slice(0, pages.length) };
}
