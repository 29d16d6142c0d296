import { useMutation } from '@tanstack/react-query';
import { type Api, useApi } from '../../api/api.ts';
import { flowTexts } from '../../texts/flows.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { notify } from '../../ui/notices.tsx';
import type { RecordFilter } from '../records/filters/filters.ts';
import type { Priority } from './run-options.tsx';

/** A batch of chosen records takes at most so many; one of a whole type takes any number. */
export const chosenMax = 1_000;

export interface RunRequest {
  flowId: string;
  type: string;
  where: RecordFilter | undefined;
  options: {
    recordConcurrency: number;
    maxRetries: number;
    priority: Priority;
    reuse: 'never' | 'unchanged';
  };
  /** How many records match, as far as they were counted. */
  matches: number;
}

/** Starts a flow on the records of a type. @returns the id of the batch */
export function useStartRun() {
  const { call } = useApi();
  return useMutation({
    mutationFn: (request: RunRequest) => start(call, request),
    onSuccess: () => notify(sharedTexts.runStarted),
  });
}

async function start(call: Api['call'], request: RunRequest): Promise<string> {
  const { flowId, type, where, options, matches } = request;
  if (!where && matches > chosenMax) {
    const answer = await call('POST /v1/flows/{id}/run-on-record-type', {
      params: { id: flowId },
      body: { recordType: type, options },
    });
    return answer.batchId;
  }
  const recordIds = await idsOf(call, request);
  const answer = await call('POST /v1/batch/flow', { body: { flowId, recordIds, options } });
  return answer.batchExecutionId;
}

async function idsOf(call: Api['call'], { type, where }: RunRequest): Promise<string[]> {
  const recordFilter = JSON.stringify({ type, ...(where && { where }) });
  const ids: string[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { recordFilter, limit: 100, includeFields: 'name', ...(cursor && { cursor }) };
    const page = await call('GET /v1/records', { query });
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.pagination.nextCursor;
  } while (cursor && ids.length <= chosenMax);
  if (ids.length === 0) throw new Error(flowTexts.noRecordMatchesAnyMore);
  if (ids.length > chosenMax) throw new Error(flowTexts.tooManyRecordsMatch(chosenMax));
  return ids;
}
