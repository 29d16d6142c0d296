import type { AnswerOf } from '../../../api/api.ts';
import { count } from '../../../ui/values/format.ts';
import { Value } from '../../../ui/values/value.tsx';

/** What a bulk edit would do, with an example. */
export function DryRun({ result: { recordIds, data } }: { result: AnswerOf<'POST /v1/records/bulk-edit'> }) {
  const example = data[0];
  return (
    <div role="status">
      <p>
        <strong>
          {recordIds.length === 0
            ? 'No record would change'
            : `${count(recordIds.length)} ${recordIds.length === 1 ? 'record' : 'records'} would have these values`}
        </strong>
      </p>
      {example && (
        <div className="records-example">
          <div>
            <h3>An example before</h3>
            <Value of={example.before} label="Before" />
          </div>
          <div>
            <h3>After</h3>
            <Value of={example.after} label="After" />
          </div>
        </div>
      )}
    </div>
  );
}
