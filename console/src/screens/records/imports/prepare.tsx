/**
 * Decides what the rows of a file become, before any is stored.
 *
 * The service reads the beginning of the file with each change of the settings (`dryRun`), and nothing of it is read here. A file
 * without a column of names gets one at first, so that there are rows to see. Only the start keeps the settings.
 */

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError } from '../../../../../packages/client/src/client.ts';
import { type OperationResponse, useApi } from '../../../api/api.ts';
import { useAction } from '../../../api/queries.ts';
import { newImportPath } from '../../../routing/record-paths.ts';
import { importTexts } from '../../../texts/imports.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Choice } from '../../../ui/forms/choice.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import { Link } from '../../../ui/link.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { Empty, Loading } from '../../../ui/loading/loaded.tsx';
import { useSettled } from '../../../ui/use-settled.ts';
import { ImportColumns } from './columns.tsx';
import { FirstRows } from './first-rows.tsx';
import {
  type FoundColumn,
  guessNameColumn,
  type ImportDraft,
  keepDraft,
  keptDraft,
  newDraft,
  pickNameColumn,
  type TriedImport,
  toSettings,
} from './import-draft.ts';

type Import = OperationResponse<'imports.get'>;

export function PrepareImport({ of: { id } }: { of: Import }) {
  const navigate = useNavigate();
  const [draft, setDraft] = useDraft(id);
  const tried = useDryRun(id, draft);
  const start = useAction('imports.start', { changes: ['imports', 'records'] });
  const cancel = useAction('imports.cancel', { onSuccess: () => navigate({ to: '/records/imports' }) });
  const { data, error } = tried;
  const columns = data?.columns ?? [];
  const nameColumn = pickNameColumn(draft, columns);
  const unnamed = data?.problems.some(({ row, code }) => row === 0 && code === 'MISSING_COLUMN');
  const guessed = unnamed && draft.nameColumn === '' ? guessNameColumn(columns) : '';
  useEffect(() => {
    if (guessed) setDraft((held) => ({ ...held, nameColumn: guessed }));
  }, [guessed, setDraft]);

  if (isMissing(error)) return <FileMissing />;
  if (!data) return error ? <Unreadable error={error} of={draft} onChange={setDraft} /> : <FirstRead />;
  const isReady = !error && !unnamed;
  return (
    <div className="import-page">
      <RowsBecome draft={draft} onChange={setDraft} columns={columns} nameColumn={nameColumn} />
      {error && <FailureNotice error={error} />}
      <FirstRows of={data} draft={draft} nameColumn={nameColumn} />
      <ImportColumns
        columns={columns}
        badRows={data.problems.length}
        draft={draft}
        nameColumn={nameColumn}
        onChange={setDraft}
      />
      <Options draft={draft} onChange={setDraft} />
      {start.error && <FailureNotice error={start.error} />}
      <div className="actions import-start">
        <Button
          look="primary"
          isDisabled={!isReady}
          isPending={start.isPending}
          onPress={() => {
            keepDraft(id, draft);
            start.mutate({ params: { id }, body: { settings: toSettings(draft) } });
          }}
        >
          {isReady ? importTexts.startRows(data.rowsEstimated) : importTexts.start}
        </Button>
        <Button isPending={cancel.isPending} onPress={() => cancel.mutate({ params: { id } })}>
          {importTexts.discard}
        </Button>
      </div>
    </div>
  );
}

/** What was decided at first: that of this import, of one like it, or what its address says. */
function useDraft(id: string) {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const { like, type } = search;
  return useState<ImportDraft>(
    () =>
      keptDraft(id) ??
      (typeof like === 'string' ? keptDraft(like) : undefined) ??
      newDraft(type === undefined ? 'record' : String(type)),
  );
}

/** What the beginning of the file becomes by these settings. While that is read again, the last answer stays. */
function useDryRun(id: string, draft: ImportDraft) {
  const { call } = useApi();
  const settings = useSettled(JSON.stringify(toSettings(draft)), 400);
  const isWhole = draft.typeColumn !== '' || draft.type.trim() !== '';
  return useQuery({
    // Not below `imports`: whoever starts one asks for those again, and this one has no dry run any more.
    queryKey: ['dry-runs', id, settings],
    enabled: isWhole,
    queryFn: async ({ signal }) => {
      const body = { dryRun: true, settings: JSON.parse(settings) };
      return (await call('imports.start', { params: { id }, body, signal })) as TriedImport;
    },
    placeholderData: (last) => last,
  });
}

const isMissing = (error: Error | null) =>
  error instanceof ApiError && error.details.some(({ code }) => code === 'UPLOAD_MISSING');

const FirstRead = () => <Loading what={importTexts.readingFirstRows} />;

const FileMissing = () => (
  <Empty title={importTexts.fileIsMissing}>
    <p>{importTexts.chooseItAgain}</p>
    <Link to={newImportPath()} className="button primary">
      {importTexts.importFile}
    </Link>
  </Empty>
);

/** An encoding, or the first line, may be all that is wrong. */
const Unreadable = ({ error, of, onChange }: { error: Error; of: ImportDraft; onChange: Change }) => (
  <div className="import-page">
    <FailureNotice error={error} />
    <Options draft={of} onChange={onChange} isOpen />
    <Link to={newImportPath()}>{importTexts.chooseAnother}</Link>
  </div>
);

type Change = (draft: ImportDraft) => unknown;

interface FormProps {
  draft: ImportDraft;
  onChange: Change;
}

function RowsBecome({
  draft,
  onChange,
  columns,
  nameColumn,
}: FormProps & { columns: readonly FoundColumn[]; nameColumn: string }) {
  const put = (change: Partial<ImportDraft>) => onChange({ ...draft, ...change });
  const choices = columns.map(({ name }) => ({ value: name, label: name }));
  const unchosen = nameColumn === '' ? [{ value: '', label: importTexts.chooseNameColumn }] : [];
  return (
    <section aria-labelledby="become">
      <h2 id="become">{importTexts.whatRowsBecome}</h2>
      <div className="card import-become">
        <Choice
          label={importTexts.nameColumn}
          value={nameColumn}
          options={[...unchosen, ...choices]}
          onChange={(chosen) => put({ nameColumn: chosen })}
        />
        <Choice
          label={importTexts.type}
          value={draft.typeColumn}
          options={[
            { value: '', label: importTexts.oneTypeForAllRows },
            ...columns.map(({ name }) => ({ value: name, label: importTexts.column(name) })),
          ]}
          onChange={(typeColumn) => put({ typeColumn })}
        />
        {draft.typeColumn === '' && (
          <TextField
            label={importTexts.typeOfAllRows}
            value={draft.type}
            onChange={(type) => put({ type })}
            isRequired
            maxLength={255}
          />
        )}
        <Choice
          label={importTexts.mode}
          value={draft.mode}
          options={[
            { value: 'create', label: importTexts.createMode },
            { value: 'upsert', label: importTexts.upsertMode },
          ]}
          help={draft.mode === 'create' ? importTexts.aboutCreate : importTexts.aboutUpsert}
          onChange={(mode) => put({ mode })}
        />
        {draft.mode === 'upsert' && (
          <Choice
            label={importTexts.foundBy}
            value={draft.key}
            options={[{ value: '', label: importTexts.theName }, ...choices]}
            onChange={(key) => put({ key })}
          />
        )}
      </div>
    </section>
  );
}

const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'shift_jis',
];

/** Its closed head says what is chosen. */
function Options({ draft, onChange, isOpen }: FormProps & { isOpen?: boolean }) {
  const put = (change: Partial<ImportDraft>) => onChange({ ...draft, ...change });
  return (
    <details className="import-options" open={isOpen}>
      <summary>
        <strong>{importTexts.options}</strong>{' '}
        <span className="help">
          {importTexts.optionsAre(importTexts.blankAs[draft.emptyAs], importTexts.onError[draft.onError])}
        </span>
      </summary>
      <div className="import-become">
        <Choice
          label={importTexts.blankCells}
          value={draft.emptyAs}
          options={(['missing', 'null', 'text'] as const).map((value) => ({
            value,
            label: importTexts.blankAs[value],
          }))}
          onChange={(emptyAs) => put({ emptyAs })}
        />
        <Choice
          label={importTexts.rowsWithProblems}
          value={draft.onError}
          options={(['skip', 'stop'] as const).map((value) => ({ value, label: importTexts.onError[value] }))}
          onChange={(chosen) => put({ onError: chosen })}
        />
        <Choice
          label={importTexts.firstLine}
          value={draft.hasHeader ? 'names' : 'data'}
          options={[
            { value: 'names', label: importTexts.firstLineNames },
            { value: 'data', label: importTexts.firstLineIsData },
          ]}
          onChange={(value) => put({ hasHeader: value === 'names', nameColumn: '', columns: {} })}
        />
        <Choice
          label={importTexts.encoding}
          value={draft.encoding}
          options={[
            { value: '', label: importTexts.encodingByFile },
            ...encodings.map((value) => ({ value, label: value })),
          ]}
          onChange={(encoding) => put({ encoding })}
        />
      </div>
    </details>
  );
}
