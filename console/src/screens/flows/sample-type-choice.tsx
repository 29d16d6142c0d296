import { useCall } from '../../api/queries.ts';
import { Choice } from '../../ui/choice.tsx';

/** Which records the flow is for. Only the suggestions of the editors depend on it. */
export function SampleTypeChoice({ type, onChange }: { type: string; onChange: (type: string) => void }) {
  const types = useCall('GET /v1/records/types');
  if (!types.data || types.data.types.length === 0) return null;
  return (
    <Choice
      label="Suggest the fields of"
      value={type}
      options={[
        { value: '', label: 'no records' },
        ...types.data.types.map((each) => ({ value: each.type, label: each.type })),
      ]}
      onChange={onChange}
    />
  );
}
