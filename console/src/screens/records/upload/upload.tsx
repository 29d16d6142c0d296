import { type FormEvent, useState } from 'react';
import { sharedTexts } from '../../../texts/shared.ts';
import { uploadTexts } from '../../../texts/upload.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { type CsvPreview, readCsvPreview } from './csv-preview.ts';
import { FileChoice, PreviewTable } from './upload-file.tsx';
import type { Outcome, UploadPlan, UploadState } from './use-upload.ts';
import '../../../style/records.css';
import { typePath } from '../../../routing/record-paths.ts';
import { Choice } from '../../../ui/forms/choice.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import { Link } from '../../../ui/link.tsx';

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

type Columns = Omit<UploadPlan, 'file'>;

interface UploadColumnsProps {
  header: readonly string[];
  columns: Columns;
  onChange: (columns: Columns) => void;
}

/** Which columns of a file hold the names and the types. */
function UploadColumns({ header, columns, onChange }: UploadColumnsProps) {
  const names = [...new Set(header)];
  const put = (change: Partial<Columns>) => onChange({ ...columns, ...change });
  return (
    <div className="records-tools">
      <Choice
        label={uploadTexts.nameColumn}
        value={columns.nameColumn}
        options={names.map((name) => ({ value: name, label: name }))}
        onChange={(nameColumn) => put({ nameColumn })}
      />
      <Choice
        label={uploadTexts.typeColumn}
        value={columns.typeColumn}
        options={[
          { value: '', label: uploadTexts.oneTypeForAllRows },
          ...names.map((name) => ({ value: name, label: uploadTexts.column(name) })),
        ]}
        onChange={(typeColumn) => put({ typeColumn })}
      />
      {columns.typeColumn === '' && (
        <TextField
          label={sharedTexts.type}
          value={columns.type}
          onChange={(type) => put({ type })}
          isRequired
          maxLength={255}
        />
      )}
    </div>
  );
}

const shownMax = 100;

/** What became of the rows of a file, also of one that is not done. */
const UploadOutcome = ({ outcome }: { outcome: Outcome }) => {
  const { plan, created, leftOut, problems, nextLine } = outcome;
  return (
    <>
      <p>
        <strong>
          {nextLine === undefined
            ? uploadTexts.recordsCreated(created)
            : uploadTexts.notFinished(uploadTexts.recordsCreated(created))}
        </strong>
        {nextLine === undefined && !plan.typeColumn && (
          <>
            {'. '}
            <Link to={typePath(plan.type)}>{uploadTexts.showRecords}</Link>
          </>
        )}
      </p>
      {nextLine !== undefined && (
        <p className="help">
          {nextLine > 0 && `${uploadTexts.rowsAboveAreDone(nextLine)} `}
          {uploadTexts.lastRequestMayHaveCreated}
        </p>
      )}
      {leftOut > 0 && <p>{uploadTexts.rowsLeftOut(leftOut)}</p>}
      {problems.length > 0 && (
        <>
          <ul className="records-problems">
            {problems.slice(0, shownMax).map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
          {problems.length > shownMax && (
            <p className="help">{uploadTexts.moreProblems(problems.length - shownMax)}</p>
          )}
        </>
      )}
    </>
  );
};
