import type { OperationResponse } from '../../../api/api.ts';
import { recordTexts } from '../../../texts/records.ts';
import { Value } from '../../../ui/values/value.tsx';

/** What a bulk edit would do, with an example. */
export function DryRun({ result: { recordIds, data } }: { result: OperationResponse<'records.bulk-edit'> }) {
  const example = data[0];
  return (
    <div role="status">
      <p>
        <strong>
          {recordIds.length === 0
            ? recordTexts.noRecordWouldChange
            : recordTexts.recordsWouldChange(recordIds.length)}
        </strong>
      </p>
      {example && (
        <div className="records-example">
          <div>
            <h3>{recordTexts.exampleBefore}</h3>
            <Value of={example.before} label={recordTexts.before} />
          </div>
          <div>
            <h3>{recordTexts.after}</h3>
            <Value of={example.after} label={recordTexts.after} />
          </div>
        </div>
      )}
    </div>
  );
}
