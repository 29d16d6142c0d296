import { type ReactNode, useState } from 'react';
import type { EditedRoute } from '../../api/edited-routes.ts';
import { useNewInAddress } from '../../routing/new-in-address.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { EditDialog, type EditDialogProps } from '../../ui/resource/edit-dialog.tsx';
import { type Column, Table } from '../../ui/tables/table.tsx';
import { SettingsPage } from './layout/settings-page.tsx';

type Form<R extends EditedRoute> = Omit<EditDialogProps<R>, 'isOpen' | 'onClose'>;

interface Props<Data, Row, C extends EditedRoute, U extends EditedRoute> {
  title: string;
  of: { data: Data | undefined; error: Error | null; refetch: () => unknown };
  rowsOf: (data: Data) => readonly Row[];
  idOf: (row: Row) => string;
  /** What the button is called that copies the ID of a row. */
  copyId: string;
  /** The name of a row, for its buttons. */
  nameOf: (row: Row) => string;
  columns: readonly Column<Row>[];
  empty: { title: string; text: ReactNode };
  create: Form<C>;
  change?: (row: Row) => Form<U>;
  remove: { question: string; action: (row: Row) => Promise<unknown> };
  /** Further buttons of a row. */
  more?: (row: Row) => ReactNode;
  children?: ReactNode;
}

/** A list of the settings: create, change, delete, each by the form of its request. */
export function ManagedList<Data, Row, C extends EditedRoute, U extends EditedRoute = C>(
  props: Props<Data, Row, C, U>,
) {
  const { title, of, rowsOf, idOf, copyId, nameOf, columns, empty, create, change, remove, more, children } =
    props;
  const [isCreating, setCreating] = useNewInAddress();
  const [edited, setEdited] = useState<Row>();
  const actions: Column<Row> = {
    title: 'Actions',
    width: 'wide',
    cell: (row) => (
      <span className="actions">
        {more?.(row)}
        {change && (
          <Button look="quiet" aria-label={`Edit ${nameOf(row)}`} onPress={() => setEdited(row)}>
            Edit
          </Button>
        )}
        <ConfirmButton
          look="quiet"
          title={`Delete ${nameOf(row)}?`}
          question={`${remove.question} This cannot be undone.`}
          confirm="Delete"
          action={() => remove.action(row)}
        >
          Delete
        </ConfirmButton>
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
      <Loaded of={of}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty title={empty.title}>{empty.text}</Empty>
          ) : (
            <Table
              label={title}
              rows={rowsOf(data)}
              keyOf={idOf}
              copyId={copyId}
              columns={[...columns, actions]}
            />
          )
        }
      </Loaded>
      <EditDialog submit="Create" {...create} isOpen={isCreating} onClose={() => setCreating(false)} />
      {edited !== undefined && change && (
        <EditDialog {...change(edited)} isOpen onClose={() => setEdited(undefined)} />
      )}
    </SettingsPage>
  );
}
