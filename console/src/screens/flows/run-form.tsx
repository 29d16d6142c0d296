import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { flowTexts } from '../../texts/flows.ts';
import { Button } from '../../ui/forms/button.tsx';
import { CheckField } from '../../ui/forms/check.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { RunForecast } from './forecast.tsx';
import type { FormOnRecords } from './on-records.tsx';
import { RecordChoice, useRecordChoice } from './record-choice.tsx';
import { useRunOptions } from './run-options.tsx';
import { chosenMax, useStartRun } from './start-run.ts';

/** Which records, and how many at a time. */
export function RunForm({ flowId, known, first, upload }: FormOnRecords) {
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
      <RecordChoice known={known} of={records} />
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
