import { useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useCall } from '../../api/queries.ts';
import { recordTexts } from '../../texts/records.ts';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { Time } from '../../ui/values/time.tsx';
import { Value } from '../../ui/values/value.tsx';

type Run = OperationResponse<'records.results'>['data'][number];

interface Props {
  run: Run;
  /** Among all results of the record, newest first. */
  place: number;
}

/** What a run of a flow made of a record. */
export function RunResult({ run, place }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="records-result" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <bdi>{run.flowName ?? run.flowId ?? recordTexts.aFlow}</bdi> <StatusLabel of={run.status} />{' '}
        <Time at={run.createdAt} />
      </summary>
      {isOpen &&
        (run.result === undefined ? (
          <LargeOutput run={run} place={place} />
        ) : (
          <Value of={run.result} label={labelOf(place)} />
        ))}
    </details>
  );
}

const labelOf = (place: number) => recordTexts.result(place + 1);

/** A page of results has room for 5 MB of outputs, so a large one is asked for alone. */
function LargeOutput({ run: { id, recordId }, place }: Props) {
  const alone = useCall('records.results', {
    params: { id: recordId },
    query: { page: place + 1, limit: 1 },
  });
  return (
    <Loaded of={alone}>
      {({ data }) => {
        const result = data.find((each) => each.id === id)?.result;
        return result === undefined ? (
          <p className="help">{recordTexts.noOutput}</p>
        ) : (
          <Value of={result} label={labelOf(place)} />
        );
      }}
    </Loaded>
  );
}
