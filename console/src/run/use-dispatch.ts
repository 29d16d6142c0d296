import { useCallback } from 'react';
import { type RequestOf, useApi } from '../api/api.ts';
import type { RunEvent } from './events.ts';

export type RunRequest = NonNullable<RequestOf<'POST /v1/dispatch'>['body']>;

/**
 * Runs a flow. Aborting the signal cancels the run: without its reader it would go on for a while, in case that the request is
 * repeated, and on AWS to its end.
 */
export function useDispatch() {
  const { call, events } = useApi();
  return useCallback(
    async function* (body: RunRequest, signal: AbortSignal): AsyncGenerator<RunEvent, void> {
      let id: string | undefined;
      try {
        for await (const event of events('POST /v1/dispatch', { body, signal })) {
          id = event.executionId;
          yield event;
        }
        id = undefined;
      } finally {
        // It may have ended meanwhile.
        if (id && signal.aborted) call('POST /v1/runs/{id}/cancel', { params: { id } }).catch(() => {});
      }
    },
    [call, events],
  );
}
