import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { operations } from '../../../packages/client/src/client.ts';
import {
  type OperationId,
  type OperationItem,
  type OperationRequest,
  type OperationResponse,
  type PagedOperation,
  useApi,
} from './api.ts';
import { useOnceAtATime } from './once-at-a-time.ts';
import { nextAskMs } from './retries.ts';

/** What is cached for a call is found by the path of its operation and its request. */
export const callKey = (operation: OperationId, request?: unknown) => [
  ...segmentsOf(operation),
  request ?? null,
];
const segmentsOf = (operation: OperationId) => operations[operation].path.split('/').slice(2);

type Call = ReturnType<typeof useApi>['call'];

/** A call whose request was put together from parts that the compiler cannot follow. */
type Untyped<Id extends OperationId> = (operation: Id, request: unknown) => Promise<OperationResponse<Id>>;

interface Options<Id extends OperationId> {
  enabled?: boolean;
  /** How often to ask again, from what is known. */
  everyMs?: number | false | ((answer: OperationResponse<Id> | undefined) => number | false);
  /** Shows the answer to the last request until there is one to this request. */
  keepsLast?: boolean;
}

/** How an endpoint is asked, and where its answer is cached. */
const callOptions = <Id extends OperationId>(call: Call, operation: Id, request?: OperationRequest<Id>) => ({
  queryKey: callKey(operation, request),
  queryFn: ({ signal }: { signal: AbortSignal }) => (call as Untyped<Id>)(operation, { ...request, signal }),
});

export const useCallOptions = <Id extends OperationId>(operation: Id, request?: OperationRequest<Id>) =>
  callOptions(useApi().call, operation, request);

/** The answer of an endpoint that reads. */
export function useCall<Id extends OperationId>(
  operation: Id,
  request?: OperationRequest<Id>,
  options: Options<Id> = {},
) {
  const { enabled = true, everyMs = false, keepsLast = false } = options;
  return useQuery({
    ...useCallOptions(operation, request),
    enabled,
    refetchInterval: ({ state: { data, error } }) =>
      nextAskMs(typeof everyMs === 'function' ? everyMs(data) : everyMs, error),
    ...(keepsLast && { placeholderData: keepPreviousData }),
  });
}

/** The answers of an endpoint that reads to some requests, in their order. */
export function useCalls<Id extends OperationId>(
  operation: Id,
  requests: readonly OperationRequest<Id>[],
  { everyMs = false }: { everyMs?: number | false } = {},
) {
  const { call } = useApi();
  return useQueries({
    queries: requests.map((request) => ({
      ...callOptions(call, operation, request),
      refetchInterval: ({ state: { error } }: { state: { error: Error | null } }) =>
        nextAskMs(everyMs, error),
    })),
  });
}

/** The operations whose pages have cursors. */
export type CursorOperation = {
  [Id in PagedOperation]: OperationResponse<Id> extends { pagination: { nextCursor: string | null } }
    ? Id
    : never;
}[PagedOperation];

/** The rows of a list, page by page. */
export function usePages<Id extends CursorOperation>(
  operation: Id,
  request?: OperationRequest<Id>,
  {
    enabled = true,
    everyMs = false,
    limit = 50,
  }: {
    enabled?: boolean;
    everyMs?: number | false | ((rows: readonly OperationItem<Id>[]) => number | false);
    limit?: number;
  } = {},
) {
  const { call } = useApi();
  const { items } = operations[operation].pages;
  const rowsIn = (page: OperationResponse<Id>) => page[items as keyof typeof page] as OperationItem<Id>[];
  const { query, ...rest } = (request ?? {}) as { query?: object };
  const pages = useInfiniteQuery({
    queryKey: callKey(operation, [request, 'pages']),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) => {
      const sent = { ...rest, query: { limit, ...query, ...(cursor && { cursor }) }, signal };
      return (call as Untyped<Id>)(operation, sent);
    },
    getNextPageParam: (page) =>
      (page as { pagination: { nextCursor: string | null } }).pagination.nextCursor ?? undefined,
    enabled,
    refetchInterval({ state: { data, error } }) {
      const shownRows = typeof everyMs === 'function' ? (data?.pages.flatMap(rowsIn) ?? []) : [];
      return nextAskMs(typeof everyMs === 'function' ? everyMs(shownRows) : everyMs, error);
    },
  });
  const rows = pages.data?.pages.flatMap(rowsIn);
  return { ...pages, rows };
}

interface Action<Id extends OperationId> {
  /** The start of the paths whose cached answers it changes: `flows`, `products`. Default: that of its own path. */
  changes?: readonly string[];
  /** Awaited, so that the screen of something that is deleted is left before it is asked for again. */
  onSuccess?: (answer: OperationResponse<Id>, request: OperationRequest<Id>) => unknown;
}

/**
 * A call that changes something, once however often somebody clicks. Afterwards, the screens ask again for what it
 * changed.
 */
export function useAction<Id extends OperationId>(operation: Id, { changes, onSuccess }: Action<Id> = {}) {
  const { call } = useApi();
  const queries = useQueryClient();
  const mutation = useMutation<OperationResponse<Id>, Error, OperationRequest<Id>>({
    mutationFn: (request) => (call as Untyped<Id>)(operation, request),
    async onSuccess(answer, request) {
      await onSuccess?.(answer, request);
      await refresh(queries, changes ?? segmentsOf(operation).slice(0, 1));
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
