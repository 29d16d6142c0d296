import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { Empty, Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { recordPath, typePath } from './paths.ts';
import { UploadDialog } from './upload-dialog.tsx';

/** The types of the records. */
export function RecordTypes() {
  const types = useCall('GET /v1/records/types');
  const [open, setOpen] = useState<'upload' | 'create'>();
  const close = () => setOpen(undefined);
  return (
    <Page
      title="Records"
      actions={
        <>
          <Button onPress={() => setOpen('create')}>Create a record</Button>
          <Button look="primary" onPress={() => setOpen('upload')}>
            Upload CSV
          </Button>
        </>
      }
    >
      <Loaded of={types}>
        {({ types: rows, truncated, recordsRead }) =>
          rows.length === 0 ? (
            <Empty title="No records">
              <p>
                Records are the things that flows work on: airports, customers, orders. Upload a CSV file, or
                create the first one.
              </p>
            </Empty>
          ) : (
            <>
              <Table
                label="Types of records"
                rows={rows}
                keyOf={({ type }) => type}
                columns={[
                  {
                    title: 'Type',
                    cell: ({ type }) => (
                      <Link to={typePath(type)}>
                        <bdi>{type}</bdi>
                      </Link>
                    ),
                  },
                  {
                    title: 'Records',
                    cell: (row) => (truncated ? `at least ${count(row.count)}` : count(row.count)),
                    isNumber: true,
                  },
                  { title: 'Newest', cell: ({ newestAt }) => <Time at={newestAt} />, isExtra: true },
                ]}
              />
              {truncated && (
                <p className="help">
                  These are the types of the newest {count(recordsRead)} records. Older ones may have others.
                </p>
              )}
            </>
          )
        }
      </Loaded>
      <EditDialog
        title="Create a record"
        route="POST /v1/records"
        isOpen={open === 'create'}
        onClose={close}
        value={{ type: '', name: '', metadata: {} }}
        submit="Create"
        onSaved={({ id }) => location.assign(`#${recordPath(id)}`)}
      />
      <UploadDialog isOpen={open === 'upload'} onClose={close} />
    </Page>
  );
}
