import type { operations } from '../../../../packages/client/src/client.ts';
import { type OperationId, useApi } from '../../api/api.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { actOnEach } from './act-on-all.ts';
import { BulkButton } from './bulk-button.tsx';
import type { RowSelection } from './use-selection.ts';

/** The operations that delete what their `id` names. */
export type DeleteOperation = {
  [Id in OperationId]: (typeof operations)[Id] extends { method: 'DELETE'; path: `/v1/${string}/{id}` }
    ? Id
    : never;
}[OperationId];

interface Props<Row> {
  selection: RowSelection<Row>;
  /** A number of rows in words: `2 flows`. */
  counted: (rows: number) => string;
  operation: DeleteOperation;
  /** What goes with them, and what fails from then on. */
  question: string;
  changes: readonly string[];
}

/** Deletes the selected rows of a list. */
export function DeleteMany<Row extends { id: string }>({
  selection,
  counted,
  operation,
  ...props
}: Props<Row>) {
  const api = useApi();
  return (
    <BulkButton
      selection={selection}
      titleOf={(rows) => sharedTexts.deleteQuestion(counted(rows))}
      progressOf={uiTexts.deletedOf}
      act={actOnEach(({ id }) => api.call(operation, { params: { id } }))}
      successOf={(done) => uiTexts.deleted(counted(done))}
      changes={props.changes}
      question={uiTexts.cannotBeUndone(props.question)}
    >
      {sharedTexts.delete}
    </BulkButton>
  );
}
