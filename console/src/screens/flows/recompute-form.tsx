import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useCall } from '../../api/queries.ts';
import { flowTexts } from '../../texts/flows.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Choice } from '../../ui/forms/choice.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { notify } from '../../ui/notices.tsx';
import { RunForecast } from './forecast.tsx';
import type { FormOnRecords } from './on-records.tsx';
import { RecordChoice, useRecordChoice } from './record-choice.tsx';
import { useRunOptions } from './run-options.tsx';

/** As many as the service selects by a filter. */
const filteredMax = 10_000;

/** Runs a version again where something changed. What that costs is shown first. */
export function RecomputeForm({ flowId, known: types, first }: FormOnRecords) {
  const navigate = useNavigate();
  const records = useRecordChoice(first, filteredMax);
  const run = useRunOptions();
  const versions = useVersions(flowId);
  const [chosen, setVersion] = useState<string>();
  const version = chosen ?? versions[0]?.value ?? 'published';
  const start = useAction('flows.recompute', {
    changes: ['batch'],
    onSuccess(answer) {
      if (!('batchId' in answer)) return;
      notify(sharedTexts.runStarted);
      return navigate({ to: `/runs/batches/${answer.batchId}` });
    },
  });
  const canStart = records.isReady && run.isValid && versions.length > 0;
  const request = { version: version as 'draft', ...records.selected, options: run.options };
  return (
    <div className="runs-form">
      <p className="help">{flowTexts.recomputeHelp}</p>
      <RecordChoice known={types} of={records} />
      <Choice label={sharedTexts.version} value={version} options={versions} onChange={setVersion} />
      {run.fields}
      <RunForecast
        of={{ flowId, ...request, options: { ...run.options, reuse: 'unchanged' } }}
        isReady={canStart}
      />
      {start.error && <FailureNotice error={start.error} />}
      <div className="actions">
        <Button
          look="primary"
          isDisabled={!canStart}
          isPending={start.isPending}
          onPress={() => start.mutate({ params: { id: flowId }, body: request })}
        >
          {start.isPending
            ? flowTexts.starting
            : records.isAllOfMany
              ? flowTexts.recomputeAll
              : flowTexts.recomputeCount(records.matches)}
        </Button>
      </div>
    </div>
  );
}

/** The draft, the published version, and the latest others. */
function useVersions(flowId: string): { value: string; label: string }[] {
  const { data } = useCall('flow-versions.list', { params: { flowId } });
  if (!data) return [];
  const { versions, publishedVersionId } = data;
  const earlier = versions.filter(
    ({ id, versionType }) => versionType !== 'draft' && id !== publishedVersionId,
  );
  return [
    { value: 'draft', label: flowTexts.savedDraft },
    ...(publishedVersionId ? [{ value: 'published', label: sharedTexts.publishedVersion }] : []),
    ...earlier.map(({ id, versionNumber }) => ({
      value: id,
      label: flowTexts.version(String(versionNumber)),
    })),
  ];
}
