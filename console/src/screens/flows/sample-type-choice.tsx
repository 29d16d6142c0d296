import { useCall } from '../../api/queries.ts';
import { flowTexts } from '../../texts/flows.ts';
import { TypeChoice } from '../records/type-choice.tsx';

/** Which records the flow is for. Only the suggestions of the editors depend on it. */
export function SampleTypeChoice({ type, onChange }: { type: string; onChange: (type: string) => void }) {
  const types = useCall('records.types');
  if (!types.data || types.data.types.length === 0) return null;
  return (
    <TypeChoice
      label={flowTexts.sampleDataFrom}
      known={types.data}
      none={flowTexts.noRecords}
      {...{ value: type, onChange }}
    />
  );
}
