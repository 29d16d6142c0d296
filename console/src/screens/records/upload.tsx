import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type AnswerOf, useApi } from '../../api/api.ts';
import { refresh } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Failure } from '../../ui/failure.tsx';
import { TextField } from '../../ui/field.tsx';
import { count } from '../../ui/format.ts';
import { type Preview, previewOf } from './csv-preview.ts';
import { FileChoice, type Outcome, PreviewTable, Result } from './upload-parts.tsx';
import '../../style/records.css';

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
      setError(new Error(`This file has no preview. ${(caught as Error).message}`));
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

  const names = [...new Set(preview?.header)];
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
              options={names.map((name) => ({ value: name, label: name }))}
              onChange={setNameColumn}
            />
            <Choice
              label="Types come from"
              value={typeColumn}
              options={[
                { value: '', label: 'One type for all rows' },
                ...names.map((name) => ({ value: name, label: `Column ${name}` })),
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
