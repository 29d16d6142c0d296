import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type OperationResponse, useApi } from '../../api/api.ts';
import { callKey } from '../../api/queries.ts';
import { newImportPath, recordPath, typePath } from '../../routing/record-paths.ts';
import { importTexts } from '../../texts/imports.ts';
import { countText } from '../../texts/language.ts';
import { recordTexts } from '../../texts/records.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { Time } from '../../ui/values/time.tsx';
import { LoadSamples } from './load-samples.tsx';

/** The types of the records. */
export function RecordTypes() {
  const types = useTypes();
  const [isCreating, setCreating] = useState(false);
  return (
    <ScreenPage
      title={sharedTexts.records}
      actions={
        <>
          <Button onPress={() => setCreating(true)}>{recordTexts.createRecord}</Button>
          <Link to="/records/imports" className="button">
            {importTexts.importsAndExports}
          </Link>
          <Link to={newImportPath()} className="button primary">
            {importTexts.import}
          </Link>
        </>
      }
    >
      <Loaded of={types}>
        {({ types: rows, truncated, recordsRead }) =>
          rows.length === 0 ? (
            <Empty title={recordTexts.noRecords}>
              <p>{recordTexts.aboutRecords}</p>
              <div className="actions">
                <LoadSamples />
              </div>
            </Empty>
          ) : (
            <>
              <Table
                label={sharedTexts.recordTypes}
                rows={rows}
                keyOf={({ type }) => type}
                columns={[
                  {
                    title: sharedTexts.type,
                    cell: ({ type }) => (
                      <Link to={typePath(type)}>
                        <bdi>{type}</bdi>
                      </Link>
                    ),
                  },
                  {
                    title: sharedTexts.records,
                    cell: (row) => (truncated ? recordTexts.atLeastCount(row.count) : countText(row.count)),
                    isNumber: true,
                  },
                  {
                    title: sharedTexts.newest,
                    cell: ({ newestAt }) => <Time at={newestAt} />,
                    isExtra: true,
                  },
                ]}
              />
              {truncated && (
                <p className="more">
                  {recordTexts.listOfTypesOfNewest(recordsRead)}{' '}
                  <Button onPress={() => types.fetchNextPage()} isPending={types.isFetchingNextPage}>
                    {recordTexts.lookThroughOlder}
                  </Button>
                </p>
              )}
            </>
          )
        }
      </Loaded>
      <EditDialog
        title={recordTexts.createRecord}
        operation="records.create"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        value={{ type: '', name: '', metadata: {} }}
        submit={sharedTexts.create}
        onSaved={({ id }) => location.assign(`#${recordPath(id)}`)}
      />
    </ScreenPage>
  );
}

type Answer = OperationResponse<'records.types'>;

/** The types of the records that were read, with the sums over all answers. */
function useTypes() {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: callKey('records.types', 'pages'),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      api.records.types({ query: { ...(cursor && { cursor }) }, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    select: ({ pages }) => summed(pages),
  });
}

function summed(pages: readonly Answer[]): Pick<Answer, 'types' | 'recordsRead' | 'truncated'> {
  const byType = new Map<string, Answer['types'][number]>();
  for (const found of pages.flatMap(({ types }) => types)) {
    const held = byType.get(found.type);
    byType.set(found.type, held ? { ...held, count: held.count + found.count } : found);
  }
  return {
    types: [...byType.values()],
    recordsRead: pages.reduce((sum, page) => sum + page.recordsRead, 0),
    truncated: pages.at(-1)?.truncated ?? false,
  };
}
