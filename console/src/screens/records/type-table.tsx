import { useState } from 'react';
import { valueOfField } from '../../../../shared/core/filters/field.ts';
import type { AnswerOf } from '../../api/api.ts';
import { useCall, usePages } from '../../api/queries.ts';
import { useParam } from '../../shell/screens.ts';
import { Button } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { type Column, PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useTableAddress } from './address.ts';
import { BulkEdit } from './bulk-edit.tsx';
import { DeleteSelected } from './delete-selected.tsx';
import { ExportButton } from './export-button.tsx';
import type { RecordFilter } from './filters.ts';
import { recordPath } from './paths.ts';
import { TableTools } from './table-tools.tsx';
import { UploadDialog } from './upload-dialog.tsx';
import '../../style/records.css';

type Row = AnswerOf<'GET /v1/records'>['data'][number];

const columnsAtFirst = 5;

/** The records of a type. */
export function RecordsOfType() {
  const type = useParam('type');
  // Another type begins anew: nothing is selected.
  return <Records key={type} type={type} />;
}

function Records({ type }: { type: string }) {
  const [address, setAddress] = useTableAddress();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<'upload' | 'edit'>();
  const schema = useCall('GET /v1/records/schema', { query: { type } });
  const fields = schema.data?.fields ?? [];
  const shown = address.columns ?? fields.slice(0, columnsAtFirst).map(({ name }) => name);
  const query = queryOf(type, address, shown);
  const pages = usePages('GET /v1/records', { query }, { enabled: !schema.isPending });

  const columns: Column<Row>[] = [
    {
      title: 'Select',
      width: 'narrow',
      cell: ({ id, name }) => (
        <input
          type="checkbox"
          aria-label={`Select ${name}`}
          checked={selected.has(id)}
          onChange={() => setSelected(selected.symmetricDifference(new Set([id])))}
        />
      ),
    },
    {
      title: 'Name',
      cell: ({ id, name }) => (
        <Link to={recordPath(id)}>
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    ...shown.map((field) => ({
      title: field,
      id: `field ${field}`,
      cell: (row: Row) => <bdi>{cellOf(valueOfField(row, field))}</bdi>,
    })),
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
  ];
  const deselect = () => setSelected(new Set());
  const loaded = pages.rows ?? [];

  return (
    <Page
      title={type}
      above={[{ to: '/records', label: 'Records' }]}
      actions={
        <>
          <ExportButton query={query} total={schema.data?.totalRecords ?? 0} />
          <Button onPress={() => setOpen('edit')}>Edit many</Button>
          <Button look="primary" onPress={() => setOpen('upload')}>
            Upload CSV
          </Button>
        </>
      }
    >
      <TableTools {...{ type, address, setAddress, fields, shown }} />
      <div className="row records-selection">
        <span role="status">{selected.size > 0 ? `${selected.size} selected` : ''}</span>
        {loaded.length > 0 && (
          <Button look="quiet" onPress={() => setSelected(new Set(loaded.map(({ id }) => id)))}>
            Select the {loaded.length} loaded
          </Button>
        )}
        {selected.size > 0 && (
          <>
            <Button look="quiet" onPress={deselect}>
              Select none
            </Button>
            <DeleteSelected ids={[...selected]} onDone={deselect} />
          </>
        )}
      </div>
      <div className="records-table" style={{ '--columns': columns.length } as object}>
        <PagedTable
          label={`Records of type ${type}`}
          columns={columns}
          keyOf={({ id }) => id}
          pages={pages}
          empty={
            <Empty title={address.where || address.search ? 'No record matches' : 'No records of this type'}>
              <p>Change the filter, or upload records.</p>
            </Empty>
          }
        />
      </div>
      <UploadDialog type={type} isOpen={open === 'upload'} onClose={() => setOpen(undefined)} />
      <BulkEdit
        {...{ type, where: shownOf(address), selected: [...selected] }}
        isOpen={open === 'edit'}
        onClose={() => setOpen(undefined)}
      />
    </Page>
  );
}

type Address = ReturnType<typeof useTableAddress>[0];

/** What selects the records that the table shows: the search is a condition too. */
function shownOf({ search, where }: Address): RecordFilter | undefined {
  const conditions: RecordFilter[] = [
    ...(where ? [where] : []),
    ...(search ? [{ field: 'name', op: 'contains' as const, value: search }] : []),
  ];
  return conditions.length > 1 ? { op: 'and', conditions } : conditions[0];
}

/** Asks for the metadata in the columns only: records may be large. */
function queryOf(type: string, { search, where }: Address, shown: readonly string[]) {
  const keys = [...new Set(shown.flatMap((name) => [name, name.split('.')[0] ?? name, unshadowed(name)]))];
  const canAsk = keys.length > 0 && keys.length <= 100 && !keys.some((key) => /,|^\s|\s$/.test(key));
  return {
    ...(where ? { recordFilter: JSON.stringify({ type, where }) } : { type }),
    ...(search && { search }),
    ...(canAsk && { includeFields: keys.join(',') }),
  };
}

const unshadowed = (name: string) => name.replace(/^metadata\./, '');

const shownCharacters = 200;
function cellOf(value: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  return text.slice(0, shownCharacters);
}
