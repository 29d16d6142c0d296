import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type AnswerOf, type RequestOf, type Route, useApi } from './api.ts';
import { useOnceAtATime } from './once-at-a-time.ts';
import { nextAskMs } from './retries.ts';

/** What is cached for a call is found by its route and its request. */
export const keyOf = (route: Route, request?: unknown) => [...segmentsOf(route), request ?? null];
const segmentsOf = (route: Route) => (route.split(' ')[1] ?? '').split('/').slice(2);

type Call = ReturnType<typeof useApi>['call'];

/** A call whose request was put together from parts that the compiler cannot follow. */
type Untyped<R extends Route> = (route: R, request: unknown) => Promise<AnswerOf<R>>;

interface Options<R extends Route> {
  enabled?: boolean;
  /** How often to ask again, from what is known. */
  everyMs?: number | false | ((answer: AnswerOf<R> | undefined) => number | false);
  /** Shows the answer to the last request until there is one to this request. */
  keepsLast?: boolean;
}

/** How an endpoint is asked, and where its answer is cached. */
const callOptions = <R extends Route>(call: Call, route: R, request?: RequestOf<R>) => ({
  queryKey: keyOf(route, request),
  queryFn: ({ signal }: { signal: AbortSignal }) => (call as Untyped<R>)(route, { ...request, signal }),
});

export const useCallOptions = <R extends Route>(route: R, request?: RequestOf<R>) =>
  callOptions(useApi().call, route, request);

/** The answer of an endpoint that reads. */
export function useCall<R extends Route>(route: R, request?: RequestOf<R>, options: Options<R> = {}) {
  const { enabled = true, everyMs = false, keepsLast = false } = options;
  return useQuery({
    ...useCallOptions(route, request),
    enabled,
    refetchInterval: ({ state: { data, error } }) =>
      nextAskMs(typeof everyMs === 'function' ? everyMs(data) : everyMs, error),
    ...(keepsLast && { placeholderData: keepPreviousData }),
  });
}

/** A route whose answer is a page with a cursor. */
export type PagedRoute = {
  [R in Route]: AnswerOf<R> extends { pagination: { nextCursor: string | null } } ? R : never;
}[Route];

export type RowOf<R extends PagedRoute> = {
  [K in keyof AnswerOf<R>]: AnswerOf<R>[K] extends readonly (infer Row)[] ? Row : never;
}[keyof AnswerOf<R>];

/** The rows of a list, page by page. */
export function usePages<R extends PagedRoute>(
  route: R,
  request?: RequestOf<R>,
  {
    enabled = true,
    everyMs = false,
    limit = 50,
  }: { enabled?: boolean; everyMs?: number | false; limit?: number } = {},
) {
  const { call } = useApi();
  const { query, ...rest } = (request ?? {}) as { query?: object };
  const pages = useInfiniteQuery({
    queryKey: keyOf(route, [request, 'pages']),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) => {
      const sent = { ...rest, query: { limit, ...query, ...(cursor && { cursor }) }, signal };
      return (call as Untyped<R>)(route, sent);
    },
    getNextPageParam: (page) =>
      (page as { pagination: { nextCursor: string | null } }).pagination.nextCursor ?? undefined,
    enabled,
    refetchInterval: ({ state: { error } }) => nextAskMs(everyMs, error),
  });
  const rows = pages.data?.pages.flatMap((page) => rowsOf<RowOf<R>>(page));
  return { ...pages, rows };
}

const rowsOf = <Row>(page: object): Row[] => (Object.values(page).find(Array.isArray) ?? []) as Row[];

interface Action<R extends Route> {
  /** The start of the paths whose cached answers it changes: `flows`, `products`. Default: that of its own path. */
  changes?: readonly string[];
  /** Awaited, so that the screen of something that is deleted is left before it is asked for again. */
  onSuccess?: (answer: AnswerOf<R>, request: RequestOf<R>) => unknown;
}

/**
 * A call that changes something, once however often somebody clicks. Afterwards, the screens ask again for what it
 * changed.
 */
export function useAction<R extends Route>(route: R, { changes, onSuccess }: Action<R> = {}) {
  const { call } = useApi();
  const queries = useQueryClient();
  const mutation = useMutation<AnswerOf<R>, Error, RequestOf<R>>({
    mutationFn: (request) => (call as Untyped<R>)(route, request),
    async onSuccess(answer, request) {
      await onSuccess?.(answer, request);
      await refresh(queries, changes ?? segmentsOf(route).slice(0, 1));
    },
  });
  const mutateAsync = useOnceAtATime(mutation.mutateAsync);
  const mutate: typeof mutation.mutate = (...args) => {
    // `error` has it.
    mutateAsync(...args).catch(() => {});
  };
  return { ...mutation, mutate, mutateAsync };
}

export const refresh = (queries: QueryClient, starts: readonly string[]) =>
  Promise.all(starts.map((start) => queries.invalidateQueries({ queryKey: [start] })));
