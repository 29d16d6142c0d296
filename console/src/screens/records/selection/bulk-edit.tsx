import { type FormEvent, useState } from 'react';
import type { OperationResponse } from '../../../api/api.ts';
import { useAction } from '../../../api/queries.ts';
import { recordTexts } from '../../../texts/records.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { Choice } from '../../../ui/forms/choice.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { notify } from '../../../ui/notices.tsx';
import { Value } from '../../../ui/values/value.tsx';
import type { RecordFilter, SentFilter } from '../filters/filters.ts';
import { bulkEditMembers, ChangeRows, type FieldChange } from './change-rows.tsx';

interface Props {
  type: string;
  /** The filter and the search of the table. */
  where: RecordFilter | undefined;
  selected: readonly string[];
}

/** Changes many records: first without writing, to show what it would do. */
export const BulkEdit = ({ isOpen, onClose, ...props }: Props & { isOpen: boolean; onClose: () => void }) => (
  <Dialog
    title={recordTexts.editRecordsInBulk}
    isOpen={isOpen}
    onClose={onClose}
    role="alertdialog"
    width="wide"
  >
    <Form {...props} onClose={onClose} />
  </Dialog>
);

function Form({ type, where, selected, onClose }: Props & { onClose: () => void }) {
  const [target, setTarget] = useState<'selected' | 'filter'>(selected.length > 0 ? 'selected' : 'filter');
  const [changes, setChanges] = useState<FieldChange[]>([{ field: '', kind: 'text', value: '' }]);
  const [problem, setProblem] = useState<Error>();
  const dryRun = useAction('records.bulk-edit', { changes: [] });
  const edit = useAction('records.bulk-edit', {
    onSuccess({ recordIds }) {
      notify(recordTexts.recordsChanged(recordIds.length));
      onClose();
    },
  });

  const bodyOf = (isDry: boolean) => ({
    ...(target === 'selected'
      ? { recordIds: [...selected] }
      : { recordFilter: { type, ...(where && { where: where as SentFilter }) } }),
    ...bulkEditMembers(changes),
    dryRun: isDry,
  });
  const change = (next: FieldChange[]) => {
    setChanges(next);
    dryRun.reset();
  };

  function tryOut(event: FormEvent) {
    event.preventDefault();
    setProblem(undefined);
    try {
      dryRun.mutate({ body: bodyOf(true) });
    } catch (caught) {
      setProblem(caught as Error);
    }
  }

  const error = problem ?? dryRun.error ?? edit.error;
  const found = dryRun.data?.recordIds.length ?? 0;
  return (
    <form onSubmit={tryOut}>
      <Choice
        label={recordTexts.whichRecords}
        value={target}
        options={[
          ...(selected.length > 0
            ? [{ value: 'selected' as const, label: recordTexts.selectedRecords(selected.length) }]
            : []),
          {
            value: 'filter' as const,
            label: where ? recordTexts.allInTable : recordTexts.allOfType,
          },
        ]}
        onChange={(next) => {
          setTarget(next);
          dryRun.reset();
        }}
      />
      <ChangeRows changes={changes} onChange={change} />
      {dryRun.data && <DryRun result={dryRun.data} />}
      {error && <FailureNotice error={error} />}
      <div className="actions">
        <Button onPress={onClose}>{sharedTexts.cancel}</Button>
        <Button type="submit" look={dryRun.data ? 'plain' : 'primary'} isPending={dryRun.isPending}>
          {recordTexts.tryWithoutWriting}
        </Button>
        {found > 0 && (
          <Button
            look="danger"
            onPress={() => edit.mutate({ body: bodyOf(false) })}
            isPending={edit.isPending}
          >
            {recordTexts.updateRecords(found)}
          </Button>
        )}
      </div>
    </form>
  );
}

/** What a bulk edit would do, with an example. */
function DryRun({ result: { recordIds, data } }: { result: OperationResponse<'records.bulk-edit'> }) {
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
