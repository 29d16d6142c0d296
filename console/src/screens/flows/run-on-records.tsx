import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type ConsoleApi, useApi } from '../../api/api.ts';
import { flowTexts } from '../../texts/flows.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { CheckField } from '../../ui/forms/check.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { notify } from '../../ui/notices.tsx';
import type { RecordFilter } from '../records/filters/filters.ts';
import { RunForecast } from './forecast.tsx';
import { type FormOnRecords, OnRecords } from './on-records.tsx';
import { RecordChoice, useRecordChoice } from './record-choice.tsx';
import { type Priority, useRunOptions } from './run-options.tsx';

export const RunOnRecords = () => <OnRecords form={RunForm} />;

/** Which records, and how many at a time. */
function RunForm({ flowId, known: types, first, upload }: FormOnRecords) {
  const navigate = useNavigate();
  const records = useRecordChoice(first, chosenMax);
  const run = useRunOptions();
  const [reuses, setReuses] = useState(false);
  const start = useStartRun();
  const { type, where, matches, selected } = records;
  const canStart = records.isReady && run.isValid;
  const options = { ...run.options, reuse: reuses ? ('unchanged' as const) : ('never' as const) };
  function begin() {
    // Not if one has gone elsewhere meanwhile.
    start.mutate(
      { flowId, type, where, options, matches },
      { onSuccess: (batchId) => navigate({ to: `/runs/batches/${batchId}` }) },
    );
  }
  return (
    <div className="runs-form">
      <p className="help">{flowTexts.runsPublishedVersion}</p>
      <RecordChoice known={types} of={records} />
      {run.fields}
      <CheckField
        label={flowTexts.reuseUnchanged}
        help={flowTexts.reuseHelp}
        isOn={reuses}
        onChange={setReuses}
      />
      <RunForecast of={{ flowId, ...selected, options }} isReady={canStart} />
      {start.error && <FailureNotice error={start.error} />}
      <div className="actions">
        <Button look="primary" isDisabled={!canStart} isPending={start.isPending} onPress={begin}>
          {start.isPending
            ? flowTexts.starting
            : records.isAllOfMany
              ? flowTexts.runOnAll
              : flowTexts.runOnCount(matches)}
        </Button>
        {upload}
      </div>
    </div>
  );
}

/** A batch of chosen records takes at most so many; one of a whole type takes any number. */
const chosenMax = 1_000;

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
function useStartRun() {
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
