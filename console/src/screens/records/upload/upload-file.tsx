import { DropZone, FileTrigger } from 'react-aria-components';
import { uploadTexts } from '../../../texts/upload.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Table } from '../../../ui/tables/table.tsx';
import { bytes } from '../../../ui/values/format.ts';
import type { CsvPreview } from './csv-preview.ts';

interface FileChoiceProps {
  file: File | undefined;
  onChoose: (file: File | undefined) => void;
  isDisabled: boolean;
}

export const FileChoice = ({ file, onChoose, isDisabled }: FileChoiceProps) => (
  <DropZone
    className="records-drop"
    aria-label={uploadTexts.dropCsvFile}
    isDisabled={isDisabled}
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
        uploadTexts.dropOrChooseCsvFile
      )}
    </p>
    <FileTrigger acceptedFileTypes={['.csv', '.tsv', 'text/csv']} onSelect={(files) => onChoose(files?.[0])}>
      <Button isDisabled={isDisabled}>{file ? uploadTexts.chooseAnotherFile : uploadTexts.chooseFile}</Button>
    </FileTrigger>
  </DropZone>
);

interface PreviewRow {
  cells: string[];
  index: number;
}

const columnsMax = 50;
const cellMax = 200;

export const PreviewTable = ({ preview: { header, rows, note } }: { preview: CsvPreview }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1, what scrolls needs the focus
  <section className="records-preview" tabIndex={0} aria-label={uploadTexts.firstRows}>
    <div className="records-table" style={{ '--columns': Math.min(header.length, columnsMax) } as object}>
      <Table
        label={uploadTexts.firstRows}
        rows={rows.map((cells, index): PreviewRow => ({ cells, index }))}
        keyOf={({ index }) => String(index)}
        columns={header.slice(0, columnsMax).map((title, column) => ({
          title: title.slice(0, cellMax),
          id: String(column),
          cell: ({ cells }: PreviewRow) => <bdi>{cells[column]?.slice(0, cellMax)}</bdi>,
        }))}
      />
    </div>
    {header.length > columnsMax && (
      <p className="help">{uploadTexts.moreColumns(header.length - columnsMax)}</p>
    )}
    {note && <p className="note">{note}</p>}
  </section>
);
