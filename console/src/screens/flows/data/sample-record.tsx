import { useEffect } from 'react';
import type { OperationResponse } from '../../../api/api.ts';
import { useCall } from '../../../api/queries.ts';
import type { DispatchRunBody } from '../../../run/use-dispatch.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { Choice } from '../../../ui/forms/choice.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import { failureText } from '../../../ui/loading/failure-text.ts';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { JsonField } from '../../../ui/schema-form/json-field.tsx';
import { TypeChoice } from '../../records/type-choice.tsx';

type Sample = DispatchRunBody['record'];

export interface SampleChoice {
  source: 'stored' | 'own' | 'none';
  type: string;
  search: string;
  recordId: string;
  own: unknown;
}

export const initialSampleChoice: SampleChoice = {
  source: 'stored',
  type: '',
  search: '',
  recordId: '',
  own: { type: 'sample', name: stepDataTexts.sample, metadata: {} },
};

/** The record of a request; `undefined` without one. */
export const chosenRecord = ({ source, recordId, own: entered }: SampleChoice): Sample =>
  source === 'stored' && recordId ? { id: recordId } : source === 'own' ? (entered as Sample) : undefined;

interface Props {
  value: SampleChoice;
  onChange: (value: SampleChoice) => void;
}

/** What the flow is tried on. */
export const SampleRecord = ({ value, onChange }: Props) => (
  <>
    <Choice
      label={stepDataTexts.testWith}
      value={value.source}
      options={[
        { value: 'stored', label: stepDataTexts.storedRecord },
        { value: 'own', label: stepDataTexts.customRecord },
        { value: 'none', label: stepDataTexts.noRecord },
      ]}
      onChange={(source) => onChange({ ...value, source })}
    />
    {value.source === 'stored' && <StoredRecord value={value} onChange={onChange} />}
    {value.source === 'own' && (
      <JsonField
        label={sharedTexts.record}
        help={stepDataTexts.onlyThisRunSeesIt}
        problem={undefined}
        value={value.own}
        onChange={(entered) => onChange({ ...value, own: entered })}
      />
    )}
  </>
);

function StoredRecord(props: Props) {
  const types = useCall('records.types');
  return (
    <Loaded of={types}>
      {(recordTypes) =>
        recordTypes.types.length === 0 ? (
          <p className="help">{stepDataTexts.noStoredRecords}</p>
        ) : (
          <RecordOfType {...props} known={recordTypes} />
        )
      }
    </Loaded>
  );
}

function RecordOfType({
  value,
  onChange,
  known: recordTypes,
}: Props & { known: OperationResponse<'records.types'> }) {
  const { type, search, recordId } = value;
  const chosen = type || recordTypes.types[0]?.type || '';
  const query = { type: chosen, limit: 50, includeFields: 'name', ...(search && { search }) };
  const records = useCall('records.list', { query }, { keepsLast: true });
  const found = records.data?.data;
  const shownId = found?.some(({ id }) => id === recordId) ? recordId : (found?.[0]?.id ?? '');
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the list shows is what is chosen
  useEffect(() => {
    if (shownId !== recordId) onChange({ ...value, recordId: shownId });
  }, [shownId, recordId]);
  return (
    <>
      <TypeChoice
        label={sharedTexts.type}
        known={recordTypes}
        value={chosen}
        onChange={(next) => onChange({ ...value, type: next, recordId: '' })}
      />
      <TextField
        label={sharedTexts.nameContains}
        value={search}
        onChange={(next) => onChange({ ...value, search: next })}
      />
      <Choice
        label={sharedTexts.record}
        value={shownId}
        options={(found ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(next) => onChange({ ...value, recordId: next })}
        problem={
          records.error
            ? failureText(records.error)
            : found?.length === 0
              ? stepDataTexts.noneMatches
              : undefined
        }
      />
    </>
  );
}
