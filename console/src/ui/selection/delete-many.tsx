import { type Route, useApi } from '../../api/api.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { oneByOne } from './act-on-all.ts';
import { BulkButton } from './bulk-button.tsx';
import type { Selection } from './use-selection.ts';

/** The routes that delete what their `id` names. */
export type DeleteRoute = Extract<Route, `DELETE /v1/${string}/{id}`>;

interface Props<Row> {
  selection: Selection<Row>;
  /** A number of rows in words: `2 flows`. */
  counted: (rows: number) => string;
  route: DeleteRoute;
  /** What goes with them, and what fails from then on. */
  question: string;
  changes: readonly string[];
}

/** Deletes the selected rows of a list. */
export function DeleteMany<Row extends { id: string }>({ selection, counted, route, ...props }: Props<Row>) {
  const { call } = useApi();
  return (
    <BulkButton
      selection={selection}
      titleOf={(rows) => sharedTexts.deleteQuestion(counted(rows))}
      progressOf={uiTexts.deletedOf}
      act={oneByOne(({ id }) => call(route, { params: { id } }))}
      successOf={(done) => uiTexts.deleted(counted(done))}
      changes={props.changes}
      question={uiTexts.cannotBeUndone(props.question)}
    >
      {sharedTexts.delete}
    </BulkButton>
  );
}
