import { useCallback } from 'react';
import { type OperationRequest, useApi } from '../api/api.ts';
import type { RunEvent } from './parts/events.ts';

export type DispatchRunBody = NonNullable<OperationRequest<'dispatch.run'>['body']>;

/** How long a stopped run has to begin, so that it can be cancelled. */
const patienceMs = 5_000;

/**
 * Runs a flow. Aborting the signal cancels the run: without its reader it would go on for a while, in case that the request is
 * repeated, and on AWS to its end.
 */
export function useDispatch() {
  const api = useApi();
  return useCallback(
    async function* (body: DispatchRunBody, signal: AbortSignal): AsyncGenerator<RunEvent, void> {
      let id: string | undefined;
      const request = new AbortController();
      // Before its first event, a run has no id by which it could be cancelled.
      const stop = () => (id ? request.abort() : setTimeout(() => request.abort(), patienceMs));
      signal.addEventListener('abort', stop, { once: true });
      try {
        for await (const event of api.dispatch.stream({ body, signal: request.signal })) {
          id = event.executionId;
          if (signal.aborted) break;
          yield event;
        }
        if (!signal.aborted) id = undefined;
        signal.throwIfAborted();
      } finally {
        signal.removeEventListener('abort', stop);
        // It may have ended meanwhile.
        if (id && signal.aborted) api.runs.cancel({ params: { id } }).catch(() => {});
      }
    },
    [api],
  );
}
