import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { flowTexts } from '../../texts/flows.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Check } from '../../ui/forms/check.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import { Failure } from '../../ui/loading/failure.tsx';
import { FilterBuilder } from '../records/filters/filter-builder.tsx';
import { finished, type RecordFilter } from '../records/filters/filters.ts';
import { useMatchCount } from '../records/filters/use-match-count.ts';
import { TypeChoice } from '../records/type-choice.tsx';
import { ForecastOf } from './forecast.tsx';
import { chosenMax, useStartRun } from './start-run.ts';

interface Props {
  flowId: string;
  known: AnswerOf<'GET /v1/records/types'>;
  first: string;
  /** Adds records. */
  upload: ReactNode;
}

/** Which records, and how many at a time. */
export function RunForm({ flowId, known, first, upload }: Props) {
  const navigate = useNavigate();
  const [type, setType] = useState(first);
  const [filter, setFilter] = useState<RecordFilter>();
  const [concurrency, setConcurrency] = useState('10');
  const [retries, setRetries] = useState('0');
  const [reuses, setReuses] = useState(false);
  const where = finished(filter);
  const { data: preview, isCounting } = useMatchCount(where, type);
  const start = useStartRun();
  const matches = preview?.matchedCount ?? 0;
  const isMany = matches > chosenMax || preview?.truncated === true;
  const problems = {
    concurrency: within(concurrency, 1, 50),
    retries: within(retries, 0, 5),
    filter: where && isMany ? flowTexts.filterMatchesTooMany(chosenMax) : undefined,
  };
  const canStart = !isCounting && matches > 0 && Object.values(problems).every((each) => !each);
  const options = {
    recordConcurrency: Number(concurrency),
    maxRetries: Number(retries),
    reuse: reuses ? ('unchanged' as const) : ('never' as const),
  };
  const selected = where ? { recordFilter: { type, where } } : { recordType: type };
  function run() {
    const request = { flowId, type, where, options, matches: isMany ? chosenMax + 1 : matches };
    // Not if one has gone elsewhere meanwhile.
    start.mutate(request, { onSuccess: (batchId) => navigate({ to: `/runs/batches/${batchId}` }) });
  }
  return (
    <div className="runs-form">
      <p className="help">{flowTexts.runsPublishedVersion}</p>
      <TypeChoice
        label={flowTexts.recordType}
        {...{ known }}
        value={type}
        onChange={(next) => {
          setType(next);
          setFilter(undefined);
        }}
      />
      <FilterBuilder value={filter} onChange={setFilter} type={type} />
      {problems.filter && <p className="problem">{problems.filter}</p>}
      <div className="runs-options">
        <TextField
          label={flowTexts.concurrency}
          help={flowTexts.fromTo(1, 50)}
          inputMode="numeric"
          value={concurrency}
          onChange={setConcurrency}
          problem={problems.concurrency}
        />
        <TextField
          label={flowTexts.retriesPerRecord}
          help={flowTexts.retriesFromTo(0, 5)}
          inputMode="numeric"
          value={retries}
          onChange={setRetries}
          problem={problems.retries}
        />
      </div>
      <Check label={flowTexts.reuseUnchanged} help={flowTexts.reuseHelp} isOn={reuses} onChange={setReuses} />
      <ForecastOf of={{ flowId, ...selected, options }} isReady={canStart} />
      {start.error && <Failure error={start.error} />}
      <div className="actions">
        <Button look="primary" isDisabled={!canStart} isPending={start.isPending} onPress={run}>
          {start.isPending
            ? flowTexts.starting
            : isMany && !where
              ? flowTexts.runOnAll
              : flowTexts.runOnCount(matches)}
        </Button>
        {upload}
      </div>
    </div>
  );
}

const within = (text: string, least: number, most: number) =>
  /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most
    ? undefined
    : flowTexts.wholeNumberFromTo(least, most);
