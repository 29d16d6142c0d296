import { useMutation } from '@tanstack/react-query';
import { type ConsoleApi, useApi } from '../../api/api.ts';
import { flowTexts } from '../../texts/flows.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { notify } from '../../ui/notices.tsx';
import type { RecordFilter } from '../records/filters/filters.ts';
import type { Priority } from './run-options.tsx';

/** A batch of chosen records takes at most so many; one of a whole type takes any number. */
export const chosenMax = 1_000;

export interface RunOnRecordsRequest {
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
  const api = useApi();
  return useMutation({
    mutationFn: (request: RunOnRecordsRequest) => start(api, request),
    onSuccess: () => notify(sharedTexts.runStarted),
  });
}

async function start(api: ConsoleApi, request: RunOnRecordsRequest): Promise<string> {
  const { flowId, type, where, options, matches } = request;
  if (!where && matches > chosenMax) {
    const answer = await api.flows.runOnRecordType({
      params: { id: flowId },
      body: { recordType: type, options },
    });
    return answer.batchId;
  }
  const recordIds = await idsOf(api, request);
  const answer = await api.batches.runFlow({ body: { flowId, recordIds, options } });
  return answer.batchExecutionId;
}

async function idsOf(api: ConsoleApi, { type, where }: RunOnRecordsRequest): Promise<string[]> {
  const recordFilter = JSON.stringify({ type, ...(where && { where }) });
  const ids: string[] = [];
  const query = { recordFilter, limit: 100, includeFields: 'name' };
  for await (const { id } of api.records.iterate({ query })) {
    ids.push(id);
    if (ids.length > chosenMax) throw new Error(flowTexts.tooManyRecordsMatch(chosenMax));
  }
  if (ids.length === 0) throw new Error(flowTexts.noRecordMatchesAnyMore);
  return ids;
}
