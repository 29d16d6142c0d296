import { countText, plural } from './language.ts';

export const uploadTexts = {
  uploadRecords: 'Upload records',
  dropCsvFile: 'Drop a CSV file here',
  dropOrChooseCsvFile: 'Drop a CSV file here, or choose one. Its first row names the columns.',
  chooseFile: 'Choose a file',
  chooseAnotherFile: 'Choose another file',

  firstRows: 'The first rows',
  moreColumns: (columns: number) =>
    plural(columns, { one: 'And # more column.', other: 'And # more columns.' }),
  noPreview: (reason: string) => `This file has no preview. ${reason}`,
  fileIsEmpty: 'The file is empty',
  rowIsTooLong: (row: number) =>
    `Row ${row} is too long to show: it does not end in the first 1 MB of the file`,
  quoteNeverCloses: (row: number) =>
    `Row ${row} opens a quote that never closes: it cannot be read, nor what follows`,
  nameColumn: 'Name column',
  typeColumn: 'Type column',
  oneTypeForAllRows: 'One type for all rows',
  column: (name: string) => `Column ${name}`,

  upload: 'Upload',
  creatingRecords: 'Creating records …',
  createdSoFar: (records: number) => `Creating records … ${countText(records)} so far`,
  stopUpload: 'Stop the upload?',
  doneRowsStay: 'The rows that are done stay. You see then how many, and can continue with the others.',
  keepRunning: 'Keep it running',
  continueFromLine: (line: number) => `Continue from line ${countText(line)}`,

  recordsCreated: (records: number) =>
    plural(records, { one: '# record was created', other: '# records were created' }),
  notFinished: (created: string) => `Not finished: ${created}`,
  showRecords: 'Show records',
  rowsAboveAreDone: (line: number) => `The rows above line ${countText(line)} are done.`,
  lastRequestMayHaveCreated:
    'The last request may have created more. If you continue, those are reported as rows that exist.',
  rowsLeftOut: (rows: number) =>
    plural(rows, {
      one: 'One row has a problem and was left out:',
      other: '# rows have problems and were left out:',
    }),
  moreProblems: (problems: number) => `And ${countText(problems)} more.`,
};
