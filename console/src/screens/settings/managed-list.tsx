import { type ReactNode, useState } from 'react';
import type { EditedOperation } from '../../api/edited-operations.ts';
import { useAction } from '../../api/queries.ts';
import { useNewInAddress } from '../../routing/new-in-address.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { EditDialog, type EditDialogProps } from '../../ui/resource/edit-dialog.tsx';
import { DeleteMany, type DeleteOperation } from '../../ui/selection/delete-many.tsx';
import { SelectionBar } from '../../ui/selection/selection-bar.tsx';
import { type RowSelection, useSelection } from '../../ui/selection/use-selection.ts';
import { Table, type TableColumn } from '../../ui/tables/table.tsx';
import { SettingsPage } from './layout/settings-page.tsx';

type Form<R extends EditedOperation> = Omit<EditDialogProps<R>, 'isOpen' | 'onClose'>;

interface Props<Data, Row extends { id: string }, C extends EditedOperation, U extends EditedOperation> {
  title: string;
  of: { data: Data | undefined; error: Error | null; refetch: () => unknown };
  rowsOf: (data: Data) => readonly Row[];
  /** What the button is called that copies the ID of a row. */
  copyId: string;
  /** The name of a row, for its buttons. */
  nameOf: (row: Row) => string;
  columns: readonly TableColumn<Row>[];
  empty: { title: string; text: ReactNode };
  create: Form<C>;
  change?: (row: Row) => Form<U>;
  remove: Removal;
  /** Further buttons of a row. */
  more?: (row: Row) => ReactNode;
  /** Further buttons for the selected rows. */
  moreForMany?: (selection: RowSelection<Row>) => ReactNode;
  children?: ReactNode;
}

/** A list of the settings: create, change, delete, each by the form of its request. */
export function ManagedList<
  Data,
  Row extends { id: string },
  C extends EditedOperation,
  U extends EditedOperation = C,
>(props: Props<Data, Row, C, U>) {
  const { title, of, rowsOf, copyId, nameOf, columns, empty, create, change, remove, more, children } = props;
  const [isCreating, setCreating] = useNewInAddress();
  const [edited, setEdited] = useState<Row>();
  const selection = useSelection(of.data && rowsOf(of.data), nameOf);
  const actions: TableColumn<Row> = {
    title: sharedTexts.actions,
    width: 'wide',
    cell: (row) => (
      <span className="actions">
        {more?.(row)}
        {change && (
          <Button look="quiet" aria-label={sharedTexts.editNamed(nameOf(row))} onPress={() => setEdited(row)}>
            {sharedTexts.edit}
          </Button>
        )}
        <DeleteOne id={row.id} name={nameOf(row)} removal={remove} />
      </span>
    ),
  };
  return (
    <SettingsPage
      title={title}
      actions={
        <Button look="primary" onPress={() => setCreating(true)}>
          {create.title}
        </Button>
      }
    >
      {children}
      <SelectionBar selection={selection}>
        {props.moreForMany?.(selection)}
        <DeleteMany selection={selection} {...remove} />
      </SelectionBar>
      <Loaded of={of}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty title={empty.title}>{empty.text}</Empty>
          ) : (
            <Table
              label={title}
              rows={rowsOf(data)}
              keyOf={({ id }) => id}
              copyId={copyId}
              selection={selection}
              columns={[...columns, actions]}
            />
          )
        }
      </Loaded>
      <EditDialog
        submit={sharedTexts.create}
        {...create}
        isOpen={isCreating}
        onClose={() => setCreating(false)}
      />
      {edited !== undefined && change && (
        <EditDialog {...change(edited)} isOpen onClose={() => setEdited(undefined)} />
      )}
    </SettingsPage>
  );
}

/** How the rows of a list are deleted, one or many. */
interface Removal {
  operation: DeleteOperation;
  /** A number of rows in words: `2 API keys`. */
  counted: (rows: number) => string;
  /** What fails from then on. */
  question: string;
  /** The start of the paths whose cached answers it changes. */
  changes: readonly string[];
}

interface DeleteOneProps {
  id: string;
  name: string;
  removal: Removal;
}

/** The button of a row that deletes it. */
function DeleteOne({ id, name, removal: { operation, counted, question, changes } }: DeleteOneProps) {
  const remove = useAction(operation, { changes, onSuccess: () => notify(uiTexts.deleted(counted(1))) });
  return (
    <ConfirmButton
      look="quiet"
      title={sharedTexts.deleteQuestion(name)}
      question={uiTexts.cannotBeUndone(question)}
      confirm={sharedTexts.delete}
      action={() => remove.mutateAsync({ params: { id } })}
    >
      {sharedTexts.delete}
    </ConfirmButton>
  );
}
