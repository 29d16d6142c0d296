import { type FormEvent, useState } from 'react';
import { sharedTexts } from '../../../texts/shared.ts';
import { uploadTexts } from '../../../texts/upload.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { type CsvPreview, readCsvPreview } from './csv-preview.ts';
import { type Columns, UploadColumns } from './upload-columns.tsx';
import { FileChoice, PreviewTable } from './upload-file.tsx';
import { UploadOutcome } from './upload-outcome.tsx';
import type { UploadState } from './use-upload.ts';
import '../../../style/records.css';

interface Props {
  /** The type to suggest. */
  type: string;
  upload: UploadState;
  onClose: () => void;
}

/** Chooses a CSV file, shows what it would make, sends it, and says what became of its rows. */
export function Upload({ type, upload, onClose }: Props) {
  const { outcome, isSending } = upload;
  const [file, setFile] = useState<File>();
  const [preview, setPreview] = useState<CsvPreview>();
  const [problem, setProblem] = useState<Error>();
  const [columns, setColumns] = useState<Columns>({ nameColumn: '', typeColumn: '', type });

  async function choose(chosen: File | undefined) {
    if (!chosen) return;
    setProblem(undefined);
    setFile(chosen);
    setPreview(undefined);
    try {
      const found = await readCsvPreview(chosen);
      const nameColumn = found.header.find((name) => name.toLowerCase() === 'name') ?? found.header[0] ?? '';
      setPreview(found);
      setColumns({ ...columns, nameColumn, typeColumn: '' });
    } catch (caught) {
      setProblem(new Error(uploadTexts.noPreview((caught as Error).message)));
    }
  }

  const plan = file && preview && { file, ...columns };
  const beginsAt = plan && upload.soFarOf(plan).nextLine;
  function send(event: FormEvent) {
    event.preventDefault();
    if (plan) upload.send(plan);
  }

  const isDone = !isSending && outcome !== undefined && outcome.nextLine === undefined;
  const error = problem ?? upload.error;
  return (
    <form onSubmit={send}>
      {!isDone && <FileChoice file={file} onChoose={choose} isDisabled={isSending} />}
      {preview && !isDone && (
        <>
          <UploadColumns header={preview.header} columns={columns} onChange={setColumns} />
          <PreviewTable preview={preview} />
        </>
      )}
      <div role="status">
        {isSending && outcome && (
          <>
            <p>
              {outcome.created > 0 ? uploadTexts.createdSoFar(outcome.created) : uploadTexts.creatingRecords}
            </p>
            <progress aria-label={uploadTexts.upload} />
          </>
        )}
        {!isSending && outcome && <UploadOutcome outcome={outcome} />}
      </div>
      {error && <FailureNotice error={error} />}
      <div className="actions">
        {isSending ? (
          <Button onPress={upload.stop}>{sharedTexts.stop}</Button>
        ) : (
          <Button onPress={onClose}>{isDone ? sharedTexts.close : sharedTexts.cancel}</Button>
        )}
        {!isDone && (
          <Button type="submit" look="primary" isDisabled={!plan} isPending={isSending}>
            {beginsAt ? uploadTexts.continueFromLine(beginsAt) : uploadTexts.upload}
          </Button>
        )}
      </div>
    </form>
  );
}
