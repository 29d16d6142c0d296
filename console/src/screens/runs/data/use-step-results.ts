import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type OperationRequest, useApi } from '../../../api/api.ts';
import { callKey } from '../../../api/queries.ts';
import { nextAskMs } from '../../../api/retries.ts';
import { eachOnce } from './each-once.ts';

type Query = NonNullable<OperationRequest<'flows.step-results'>['query']>;

/** The results of a flow's steps, newest first, page by page. */
export function useStepResults(flowId: string, query: Query, everyMs: number | false = false) {
  const api = useApi();
  const pages = useInfiniteQuery({
    queryKey: callKey('flows.step-results', [flowId, query]),
    initialPageParam: 0,
    queryFn: ({ pageParam: offset, signal }) =>
      api.flows.stepResults({ params: { id: flowId }, query: { limit: 100, ...query, offset }, signal }),
    // A page may end early, for its size.
    getNextPageParam: ({ pagination: { offset, returned, hasMore } }) =>
      hasMore ? offset + returned : undefined,
    // Asking again asks for every page that was read.
    refetchInterval: ({ state: { data, error } }) =>
      nextAskMs(data && data.pages.length > 1 ? false : everyMs, error),
  });
  const rows = useMemo(() => pages.data && eachOnce(pages.data.pages), [pages.data]);
  return { ...pages, rows };
}
