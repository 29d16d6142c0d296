import { useState } from 'react';
import { useCall, usePages } from '../../api/queries.ts';
import { useParam } from '../../routing/screens.ts';
import { exportTexts } from '../../texts/exports.ts';
import { importTexts } from '../../texts/imports.ts';
import { recordTexts } from '../../texts/records.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { SelectionBar } from '../../ui/selection/selection-bar.tsx';
import { useSelection } from '../../ui/selection/use-selection.ts';
import { PagedTable } from '../../ui/tables/paged-table.tsx';
import { type TableAddress, useTableAddress } from './address.ts';
import { ExportButton } from './exports/export-button.tsx';
import { BulkEdit } from './selection/bulk-edit.tsx';
import { DeleteSelected } from './selection/delete-selected.tsx';
import { TableTools } from './table-tools.tsx';
import '../../style/records.css';
import { getFieldValue } from '../../../../shared/core/filters/field.ts';
import type { OperationResponse } from '../../api/api.ts';
import { newImportPath, recordPath } from '../../routing/record-paths.ts';
import { Link } from '../../ui/link.tsx';
import type { TableColumn } from '../../ui/tables/table.tsx';
import { Time } from '../../ui/values/time.tsx';
import type { RecordFilter } from './filters/filters.ts';

const columnsAtFirst = 5;

/** The records of a type. */
export function RecordsOfType() {
  const type = useParam('type');
  // Another type begins anew: nothing is selected.
  return <Records key={type} type={type} />;
}

function Records({ type }: { type: string }) {
  const [address, setAddress] = useTableAddress();
  const [isEditing, setEditing] = useState(false);
  const schema = useCall('records.schema', { query: { type } });
  const fields = schema.data?.fields ?? [];
  const shown = address.columns ?? fields.slice(0, columnsAtFirst).map(({ name }) => name);
  const filter = tableFilter(address);
  const query = tableQuery(type, address, shown);
  const pages = usePages('records.list', { query }, { enabled: !schema.isPending });

  const selection = useSelection(pages.rows, ({ name }) => name);
  const columns = recordColumns(shown);

  return (
    <ScreenPage
      title={type}
      above={[{ to: '/records', label: sharedTexts.records }]}
      actions={
        <>
          <ExportButton
            title={exportTexts.exportRecords}
            about={filter ? exportTexts.asFiltered : exportTexts.allOfType}
            subject="records"
            filter={{ recordFilter: { type, ...(filter && { where: filter as never }) } }}
          />
          <Button onPress={() => setEditing(true)}>{recordTexts.editInBulk}</Button>
          <Link to={newImportPath(type)} className="button primary">
            {importTexts.import}
          </Link>
        </>
      }
    >
      {schema.data && (
        <p className="help">
          {(schema.data.countIsMinimum ? recordTexts.orMoreOfThisType : recordTexts.recordsOfThisType)(
            schema.data.totalRecords,
          )}
        </p>
      )}
      <TableTools type={type} address={address} setAddress={setAddress} fields={fields} shown={shown} />
      <SelectionBar selection={selection}>
        <Button look="quiet" onPress={() => setEditing(true)}>
          {sharedTexts.edit}
        </Button>
        <DeleteSelected selection={selection} />
      </SelectionBar>
      <div className="records-table" style={{ '--columns': columns.length } as object}>
        <PagedTable
          label={recordTexts.recordsOfType(type)}
          hasChosenColumns
          selection={selection}
          copyId={sharedTexts.copyRecordId}
          columns={columns}
          keyOf={({ id }) => id}
          pages={pages}
          empty={
            <Empty
              title={
                address.where || address.search
                  ? recordTexts.noRecordMatches
                  : recordTexts.noRecordsOfThisType
              }
            >
              <p>{recordTexts.changeFilterOrUpload}</p>
            </Empty>
          }
        />
      </div>
      <BulkEdit
        type={type}
        where={filter}
        selected={[...selection.ids]}
        isOpen={isEditing}
        onClose={() => setEditing(false)}
      />
    </ScreenPage>
  );
}

type Row = OperationResponse<'records.list'>['data'][number];

const recordColumns = (shown: readonly string[]): TableColumn<Row>[] => [
  {
    title: sharedTexts.name,
    cell: ({ id, name }) => (
      <Link to={recordPath(id)}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  ...shown.map((field) => ({
    title: field,
    id: `field ${field}`,
    cell: (row: Row) => <bdi>{cellOf(getFieldValue(row, field))}</bdi>,
  })),
  { title: sharedTexts.created, cell: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
];

const shownCharacters = 200;
function cellOf(value: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  return text.slice(0, shownCharacters);
}

/** What selects the records that the table shows: the search is a condition too. */
function tableFilter({ search, where }: TableAddress): RecordFilter | undefined {
  const conditions: RecordFilter[] = [
    ...(where ? [where] : []),
    ...(search ? [{ field: 'name', op: 'contains' as const, value: search }] : []),
  ];
  return conditions.length > 1 ? { op: 'and', conditions } : conditions[0];
}

/** Asks for the metadata in the columns only: records may be large. */
function tableQuery(type: string, { search, where }: TableAddress, shown: readonly string[]) {
  const keys = [...new Set(shown.flatMap((name) => [name, name.split('.')[0] ?? name, unshadowed(name)]))];
  const canAsk = keys.length > 0 && keys.length <= 100 && !keys.some((key) => /,|^\s|\s$/.test(key));
  return {
    ...(where ? { recordFilter: JSON.stringify({ type, where }) } : { type }),
    ...(search && { search }),
    ...(canAsk && { includeFields: keys.join(',') }),
  };
}

const unshadowed = (name: string) => name.replace(/^metadata\./, '');
