import { type Route, useApi } from '../../api/api.ts';
import { counted } from '../values/format.ts';
import { oneByOne } from './act-on-all.ts';
import { BulkButton } from './bulk-button.tsx';
import type { Selection } from './use-selection.ts';

/** The routes that delete what their `id` names. */
export type DeleteRoute = Extract<Route, `DELETE /v1/${string}/{id}`>;

interface Props<Row> {
  selection: Selection<Row>;
  /** What a row is: `flow`. */
  noun: string;
  route: DeleteRoute;
  /** What goes with them, and what fails from then on. */
  question: string;
  changes: readonly string[];
}

/** Deletes the selected rows of a list. */
export function DeleteMany<Row extends { id: string }>({ selection, noun, route, ...props }: Props<Row>) {
  const { call } = useApi();
  return (
    <BulkButton
      selection={selection}
      titleOf={(rows) => `Delete ${counted(rows, noun)}?`}
      progressOf={(done, all) => `Deleted ${done} of ${all}`}
      act={oneByOne(({ id }) => call(route, { params: { id } }))}
      successOf={(done) => `${counted(done, noun)} deleted`}
      changes={props.changes}
      question={`${props.question} This cannot be undone.`}
    >
      Delete
    </BulkButton>
  );
}
