import { useAction, useCall } from '../../api/queries.ts';
import { typePath } from '../../routing/record-paths.ts';
import { useParam } from '../../routing/screens.ts';
import { recordTexts } from '../../texts/records.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { MoreMenu } from '../../ui/dialogs/confirm-button.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { Empty, Loaded, Loading } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';
import { Time } from '../../ui/values/time.tsx';
import { StepResults } from './step-results.tsx';
import '../../style/records.css';
import { useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { countText } from '../../texts/language.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { EditFresh } from '../../ui/resource/edit-fresh.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { dollars } from '../../ui/values/format.ts';
import { ListedCost } from '../../ui/values/listed-cost.tsx';
import { Value } from '../../ui/values/value.tsx';
import { MetadataEditor } from './metadata-editor.tsx';

/** One record: what it holds, and what became of it. */
export function OneRecord() {
  const id = useParam('recordId');
  const record = useCall('records.get', { params: { id } });
  const remove = useAction('records.delete', {
    onSuccess() {
      notify(recordTexts.recordDeleted);
      location.assign(`#${record.data ? typePath(record.data.type) : '/records'}`);
    },
  });
  const above = [{ to: '/records', label: sharedTexts.records }];
  if (!record.data)
    return (
      <ScreenPage title={sharedTexts.record} above={above}>
        {record.error ? <FailureNotice error={record.error} onRetry={() => record.refetch()} /> : <Loading />}
      </ScreenPage>
    );
  const { type, name, metadata, createdAt, updatedAt } = record.data;
  return (
    <ScreenPage
      title={name}
      above={[...above, { to: typePath(type), label: type }]}
      id={<ShownId id={id} label={sharedTexts.copyRecordId} />}
      actions={
        <MoreMenu
          title={recordTexts.deleteThisRecord}
          question={recordTexts.resultsAreDeletedToo}
          confirm={sharedTexts.delete}
          action={() => remove.mutateAsync({ params: { id } })}
        >
          {sharedTexts.delete}
        </MoreMenu>
      }
    >
      <p className="help">
        {recordTexts.createdAndChanged(<Time at={createdAt} />, <Time at={updatedAt} />)}
      </p>
      <div className="stack">
        <RecordMetadata key={id} id={id} metadata={metadata} />
        <div>
          <Results id={id} />
          <StepResults id={id} />
        </div>
        <Costs id={id} />
      </div>
    </ScreenPage>
  );
}

/** What the models cost that worked on a record. */
function Costs({ id }: { id: string }) {
  const costs = useCall('records.costs', { params: { id } });
  return (
    <section aria-labelledby="costs">
      <h2 id="costs">{recordTexts.costs}</h2>
      <Loaded of={costs}>
        {({ executionCount, totalCost, totalTokens, modelBreakdown }) =>
          executionCount === 0 ? (
            <Empty title={recordTexts.noModelCalls} />
          ) : (
            <>
              <p>
                {recordTexts.costOfSteps(
                  dollars(totalCost),
                  sharedTexts.tokenCount(totalTokens),
                  executionCount,
                )}
              </p>
              <Table
                label={recordTexts.costByModel}
                rows={modelBreakdown}
                keyOf={({ model }) => model}
                columns={[
                  { title: sharedTexts.model, cell: ({ model }) => <bdi>{model}</bdi> },
                  {
                    title: sharedTexts.steps,
                    cell: (row) => countText(row.count),
                    isNumber: true,
                    isExtra: true,
                  },
                  { title: sharedTexts.tokens, cell: ({ tokens }) => countText(tokens), isNumber: true },
                  { title: sharedTexts.cost, cell: ({ cost }) => <ListedCost of={cost} />, isNumber: true },
                ]}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

type Values = Record<string, unknown>;

/** The metadata of a record, which can be changed as JSON. */
function RecordMetadata({ id, metadata }: { id: string; metadata: Values }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <section aria-labelledby="metadata">
      <div className="page-head">
        <h2 id="metadata">{recordTexts.metadata}</h2>
        {!isEditing && <Button onPress={() => setEditing(true)}>{sharedTexts.edit}</Button>}
      </div>
      {isEditing ? (
        <EditFresh operation="records.get" request={{ params: { id } }}>
          {(begun) => <MetadataEditor {...begun} onClose={() => setEditing(false)} />}
        </EditFresh>
      ) : (
        <Fields metadata={metadata} />
      )}
    </section>
  );
}

/** So many fields are shown each by itself; more are shown as JSON. */
const fieldsMax = 200;
const shortMax = 300;

function Fields({ metadata }: { metadata: Values }) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return <Empty title={recordTexts.noMetadata} />;
  if (entries.length > fieldsMax) return <Value of={metadata} label={recordTexts.metadata} />;
  return (
    <dl className="records-fields">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>{isShort(value) ? <bdi>{String(value)}</bdi> : <Value of={value} label={name} />}</dd>
        </div>
      ))}
    </dl>
  );
}

const isShort = (value: unknown) =>
  value === null || (typeof value !== 'object' && String(value).length <= shortMax);

type Run = OperationResponse<'records.results'>['data'][number];

interface Props {
  run: Run;
  /** Among all results of the record, newest first. */
  place: number;
}

/** What a run of a flow made of a record. */
function RunResult({ run, place }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="records-result" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <bdi>{run.flowName ?? run.flowId ?? recordTexts.aFlow}</bdi> <StatusLabel of={run.status} />{' '}
        <Time at={run.createdAt} />
      </summary>
      {isOpen &&
        (run.result === undefined ? (
          <LargeOutput run={run} place={place} />
        ) : (
          <Value of={run.result} label={labelOf(place)} />
        ))}
    </details>
  );
}

const labelOf = (place: number) => recordTexts.result(place + 1);

/** A page of results has room for 5 MB of outputs, so a large one is asked for alone. */
function LargeOutput({ run: { id, recordId }, place }: Props) {
  const alone = useCall('records.results', {
    params: { id: recordId },
    query: { page: place + 1, limit: 1 },
  });
  return (
    <Loaded of={alone}>
      {({ data }) => {
        const result = data.find((each) => each.id === id)?.result;
        return result === undefined ? (
          <p className="help">{recordTexts.noOutput}</p>
        ) : (
          <Value of={result} label={labelOf(place)} />
        );
      }}
    </Loaded>
  );
}

const pageRows = 10;

/** What flows made of a record, newest first. */
function Results({ id }: { id: string }) {
  const [page, setPage] = useState(1);
  const results = useCall(
    'records.results',
    { params: { id }, query: { page, limit: pageRows } },
    { keepsLast: true },
  );
  return (
    <section aria-labelledby="results">
      <h2 id="results">{recordTexts.resultsAndHistory}</h2>
      <Loaded of={results}>
        {({ data, pagination }) =>
          data.length === 0 && page === 1 ? (
            <Empty title={recordTexts.noResultsYet}>
              <p>
                {recordTexts.openFlowToRun((text) => (
                  <Link to="/flows">{text}</Link>
                ))}
              </p>
            </Empty>
          ) : (
            <>
              {data.map((run, index) => (
                <RunResult key={run.id} run={run} place={(page - 1) * pageRows + index} />
              ))}
              <div className="actions">
                {page > 1 && <Button onPress={() => setPage(page - 1)}>{sharedTexts.newer}</Button>}
                {pagination.hasMore && <Button onPress={() => setPage(page + 1)}>{sharedTexts.older}</Button>}
              </div>
            </>
          )
        }
      </Loaded>
    </section>
  );
}
