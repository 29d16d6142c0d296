import { sharedTexts } from '../../../texts/shared.ts';
import { uploadTexts } from '../../../texts/upload.ts';
import { Choice } from '../../../ui/forms/choice.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import type { UploadPlan } from './use-upload.ts';

export type Columns = Omit<UploadPlan, 'file'>;

interface Props {
  header: readonly string[];
  columns: Columns;
  onChange: (columns: Columns) => void;
}

/** Which columns of a file hold the names and the types. */
export function UploadColumns({ header, columns, onChange }: Props) {
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
