import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { OperationResponse } from '../../../api/api.ts';
import { refresh, useAction, useCall, usePages } from '../../../api/queries.ts';
import { useParam } from '../../../routing/screens.ts';
import { importTexts } from '../../../texts/imports.ts';
import { countText } from '../../../texts/language.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { valueText } from '../../../texts/values.ts';
import { ConfirmButton } from '../../../ui/dialogs/confirm-button.tsx';
import { Link } from '../../../ui/link.tsx';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { notify } from '../../../ui/notices.tsx';
import { ScreenPage } from '../../../ui/page.tsx';
import { StatusLabel } from '../../../ui/status.tsx';
import { Facts } from '../../../ui/tables/facts.tsx';
import { PagedTable } from '../../../ui/tables/paged-table.tsx';
import { ShownId } from '../../../ui/values/copy-id.tsx';
import { bytes, durationText } from '../../../ui/values/format.ts';
import { Time } from '../../../ui/values/time.tsx';
import { keptDraft } from './import-draft.ts';
import { PrepareImport } from './prepare.tsx';
import '../../../style/imports.css';
import { newImportPath, typePath } from '../../../routing/record-paths.ts';

type Import = OperationResponse<'imports.get'>;

const everyMs = 1_000;
/** The address of the problems holds for an hour. */
const renewedMs = 1_800_000;
const isUnderWay = ({ status }: Import) => status === 'queued' || status === 'running';

/** An import from its first rows to its end: what to decide, how far it is, what was skipped, and how to take it back. */
export function ImportPage() {
  const id = useParam('importId');
  const found = useCall(
    'imports.get',
    { params: { id } },
    { everyMs: (last) => (last && isUnderWay(last) ? everyMs : renewedMs) },
  );
  const cancel = useAction('imports.cancel', { onSuccess: () => notify(importTexts.importCancelled) });
  return (
    <ScreenPage
      title={found.data?.name ?? importTexts.importFile}
      id={<ShownId id={id} label={importTexts.copyImportId} />}
      above={[
        { to: '/records', label: sharedTexts.records },
        { to: '/records/imports', label: importTexts.importsAndExports },
      ]}
      actions={
        found.data &&
        isUnderWay(found.data) && (
          <ConfirmButton
            title={importTexts.cancelQuestion}
            question={importTexts.storedStays}
            confirm={importTexts.cancelImport}
            action={() => cancel.mutateAsync({ params: { id } })}
          >
            {importTexts.cancelImport}
          </ConfirmButton>
        )
      }
    >
      <Loaded of={found}>
        {(loaded) =>
          loaded.status === 'awaiting-upload' ? (
            <PrepareImport of={loaded} />
          ) : (
            <div className="import-page">
              <Progress of={loaded} />
              {!isUnderWay(loaded) && <AfterTheEnd of={loaded} />}
              {loaded.rows.failed > 0 && <Problems of={loaded} />}
            </div>
          )
        }
      </Loaded>
    </ScreenPage>
  );
}

function Progress({ of }: { of: Import }) {
  const { status, rows, startedAt, completedAt, secondsLeft, error } = of;
  const since = startedAt === null ? undefined : Date.parse(startedAt);
  const until = completedAt === null ? Date.now() : Date.parse(completedAt);
  const ms = since === undefined ? 0 : Math.max(1, until - since);
  const facts: (readonly [string, string])[] = [
    [importTexts.rowsRead, countText(rows.read)],
    [importTexts.createdRows, countText(rows.created)],
    ...(of.mode === 'upsert'
      ? [
          [importTexts.updatedRows, countText(rows.updated)] as const,
          [importTexts.unchangedRows, countText(rows.unchanged)] as const,
        ]
      : []),
    [importTexts.skippedRows, countText(rows.failed)],
    [importTexts.rowsPerSecond, rows.read > 0 ? countText(Math.round((rows.read * 1_000) / ms)) : '…'],
    completedAt === null
      ? [importTexts.timeLeft, secondsLeft === null ? '…' : durationText(secondsLeft * 1_000)]
      : [importTexts.timeTaken, durationText(ms)],
  ];
  return (
    <section aria-label={importTexts.progress} className="card">
      <p className="import-head">
        <StatusLabel of={status} />
        <span className="help">{importTexts.startedAndSize(<Time at={startedAt} />, sizeOf(of))}</span>
      </p>
      <progress aria-label={importTexts.progress} {...progressOf(of)} />
      <Facts of={facts} isBig />
      <p role="status" className="visually-hidden">
        {isUnderWay(of) ? '' : importTexts.importIs(valueText(status))}
      </p>
      {error && (
        <p className="problem">
          {error.message} ({error.code})
        </p>
      )}
    </section>
  );
}

const sizeOf = ({ bytes: { read, total } }: Import) => bytes(total ?? read);

/** Nothing for a file whose size is not known: then the bar only moves. */
function progressOf(of: Import): { max?: number; value?: number } {
  const { read, total } = of.bytes;
  if (!isUnderWay(of))
    return of.status === 'completed' ? { max: 1, value: 1 } : { max: total ?? 1, value: read };
  return total === null || read === 0 ? {} : { max: total, value: read };
}

/** Where its records are, and how to take it back. */
function AfterTheEnd({ of: { id, rows } }: { of: Import }) {
  const [isDeleting, setDeleting] = useState(false);
  const left = useCall(
    'records.list',
    { query: { importId: id, limit: 1 } },
    { enabled: rows.created > 0, everyMs: isDeleting && everyMs },
  );
  const [record] = left.data?.data ?? [];
  const remove = useAction('imports.delete-records', {
    changes: ['records'],
    onSuccess() {
      setDeleting(true);
      notify(importTexts.recordsAreBeingDeleted);
    },
  });
  const isGone = left.data !== undefined && record === undefined;
  if (isGone && isDeleting) setDeleting(false);
  const draft = keptDraft(id);
  if (rows.created === 0) return null;
  if (isGone) return <p role="status">{importTexts.recordsAreDeleted}</p>;
  return (
    <div className="actions">
      <Link to={draft?.typeColumn ? '/records' : typePath(record?.type ?? '')} className="button primary">
        {importTexts.showRecords}
      </Link>
      <ConfirmButton
        title={importTexts.deleteQuestion(rows.created)}
        question={importTexts.deletesCreated}
        confirm={sharedTexts.delete}
        isDisabled={isDeleting}
        action={() => remove.mutateAsync({ params: { id } })}
      >
        {isDeleting ? importTexts.recordsAreBeingDeleted : importTexts.deleteItsRecords}
      </ConfirmButton>
    </div>
  );
}

const keptMax = 100_000;

function Problems({ of }: { of: Import }) {
  const { id, problemsUrl, rows } = of;
  const queries = useQueryClient();
  const isOpen = isUnderWay(of);
  const pages = usePages('imports.problems', { params: { id } }, { everyMs: isOpen && 5_000 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the last ones come with the end
  useEffect(() => {
    refresh(queries, ['imports']);
  }, [isOpen, queries]);
  return (
    <section aria-labelledby="problems">
      <h2 id="problems">{importTexts.problems}</h2>
      <p className="help">
        {importTexts.aboutProblems} {rows.failed > keptMax && importTexts.onlySomeKept}
      </p>
      {problemsUrl && (
        <div className="actions import-mend">
          <a className="button" href={problemsUrl} download>
            {importTexts.downloadRows}
          </a>
          <Link to={`${newImportPath()}?like=${id}`} className="button">
            {importTexts.importMended}
          </Link>
        </div>
      )}
      <PagedTable
        label={importTexts.problems}
        hasChosenColumns
        keyOf={({ row }) => String(row)}
        pages={pages}
        empty={null}
        columns={[
          { title: importTexts.row, cell: ({ row }) => countText(row), isNumber: true, width: 'narrow' },
          { title: importTexts.columnTitle, cell: ({ column }) => <bdi>{column}</bdi> },
          { title: importTexts.problem, cell: ({ message }) => message },
          { title: importTexts.cell, cell: ({ text }) => <bdi>{text}</bdi>, isExtra: true },
        ]}
      />
    </section>
  );
}
