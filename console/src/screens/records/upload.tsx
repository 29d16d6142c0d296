import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { DropZone, FileTrigger } from 'react-aria-components';
import { type AnswerOf, useApi } from '../../api/api.ts';
import { refresh } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Failure } from '../../ui/failure.tsx';
import { TextField } from '../../ui/field.tsx';
import { bytes, count } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { Table } from '../../ui/table.tsx';
import { type Preview, previewOf } from './csv-preview.ts';
import { typePath } from './paths.ts';
import '../../style/records.css';

interface Outcome {
  created: number;
  problems: string[];
  isDone: boolean;
}

/** Chooses a CSV file, shows what it would make, sends it, and says what became of its rows. */
export function Upload({ type: suggested, onClose }: { type: string; onClose: () => void }) {
  const { call } = useApi();
  const queries = useQueryClient();
  const [file, setFile] = useState<File>();
  const [preview, setPreview] = useState<Preview>();
  const [type, setType] = useState(suggested);
  const [nameColumn, setNameColumn] = useState('');
  const [typeColumn, setTypeColumn] = useState('');
  const [isSending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<Error>();

  async function choose(chosen: File | undefined) {
    if (!chosen) return;
    setError(undefined);
    setOutcome(undefined);
    setFile(chosen);
    setPreview(undefined);
    try {
      const found = await previewOf(chosen);
      setPreview(found);
      setNameColumn(found.header.find((name) => name.toLowerCase() === 'name') ?? found.header[0] ?? '');
      setTypeColumn('');
    } catch (caught) {
      setError(new Error(`This file cannot be read as CSV: ${(caught as Error).message}`));
    }
  }

  /** Sends the file; again from where the service ran out of time. */
  async function send(event: FormEvent) {
    event.preventDefault();
    if (!file) return;
    setSending(true);
    setError(undefined);
    let [created, fromLine]: [number, number | undefined] = [0, undefined];
    const problems: string[] = [];
    try {
      do {
        const answer: AnswerOf<'POST /v1/records/upload-csv'> = await call('POST /v1/records/upload-csv', {
          body: {
            ...{ file, nameColumn },
            ...(typeColumn ? { typeColumn } : { typeValue: type }),
            ...(fromLine !== undefined && { fromLine: String(fromLine) }),
          },
        });
        created += answer.created;
        problems.push(...answer.errorDetails);
        fromLine = answer.nextLine;
        setOutcome({ created, problems: [...problems], isDone: fromLine === undefined });
      } while (fromLine !== undefined);
    } catch (caught) {
      setError(caught as Error);
    } finally {
      setSending(false);
      await refresh(queries, ['records']);
    }
  }

  const isDone = outcome?.isDone === true;
  return (
    <form onSubmit={send}>
      {!isDone && <FileChoice file={file} onChoose={choose} />}
      {preview && !isDone && (
        <>
          <div className="records-tools">
            <Choice
              label="Names come from"
              value={nameColumn}
              options={preview.header.map((name) => ({ value: name, label: name }))}
              onChange={setNameColumn}
            />
            <Choice
              label="Types come from"
              value={typeColumn}
              options={[
                { value: '', label: 'One type for all rows' },
                ...preview.header.map((name) => ({ value: name, label: `Column ${name}` })),
              ]}
              onChange={setTypeColumn}
            />
            {typeColumn === '' && (
              <TextField label="Type" value={type} onChange={setType} isRequired maxLength={255} />
            )}
          </div>
          <PreviewTable preview={preview} />
        </>
      )}
      <div role="status">
        {isSending && (
          <>
            <p>Creating records … {outcome && `${count(outcome.created)} so far`}</p>
            <progress aria-label="Upload" />
          </>
        )}
        {isDone && <Result {...outcome} type={typeColumn ? undefined : type} />}
      </div>
      {error && <Failure error={error} />}
      <div className="actions">
        <Button onPress={onClose}>{isDone ? 'Close' : 'Cancel'}</Button>
        {!isDone && (
          <Button type="submit" look="primary" isDisabled={!preview} isPending={isSending}>
            Upload
          </Button>
        )}
      </div>
    </form>
  );
}

interface FileChoiceProps {
  file: File | undefined;
  onChoose: (file: File | undefined) => void;
}

const FileChoice = ({ file, onChoose }: FileChoiceProps) => (
  <DropZone
    className="records-drop"
    aria-label="Drop a CSV file here"
    onDrop={async ({ items }) => {
      const item = items.find((each) => each.kind === 'file');
      if (item?.kind === 'file') onChoose(await item.getFile());
    }}
  >
    <p>
      {file ? (
        <>
          <bdi>{file.name}</bdi>, {bytes(file.size)}
        </>
      ) : (
        'Drop a CSV file here, or choose one. Its first row names the columns.'
      )}
    </p>
    <FileTrigger acceptedFileTypes={['.csv', '.tsv', 'text/csv']} onSelect={(files) => onChoose(files?.[0])}>
      <Button>{file ? 'Choose another file' : 'Choose a file'}</Button>
    </FileTrigger>
  </DropZone>
);

interface PreviewRow {
  cells: string[];
  index: number;
}

const PreviewTable = ({ preview: { header, rows } }: { preview: Preview }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1, what scrolls needs the focus
  <section className="records-preview" tabIndex={0} aria-label="The first rows">
    <div className="records-table" style={{ '--columns': header.length } as object}>
      <Table
        label="The first rows"
        rows={rows.map((cells, index): PreviewRow => ({ cells, index }))}
        keyOf={({ index }) => String(index)}
        columns={header.map((title, column) => ({
          title,
          id: String(column),
          cell: ({ cells }: PreviewRow) => <bdi>{cells[column]}</bdi>,
        }))}
      />
    </div>
  </section>
);

const Result = ({ created, problems, type }: Outcome & { type: string | undefined }) => (
  <>
    <p>
      <strong>
        {count(created)} {created === 1 ? 'record was' : 'records were'} created
      </strong>
      {type && (
        <>
          {'. '}
          <Link to={typePath(type)}>Show them</Link>
        </>
      )}
    </p>
    {problems.length > 0 && (
      <>
        <p>{count(problems.length)} rows have problems and were left out:</p>
        <ul className="records-problems">
          {problems.slice(0, 100).map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
        {problems.length > 100 && <p className="help">And {count(problems.length - 100)} more.</p>}
      </>
    )}
  </>
);
