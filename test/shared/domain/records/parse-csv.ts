import {
  type CsvDraft,
  type CsvWarning,
  isDraft,
  isWarning,
  type RowError,
  readCsv,
} from '../../../../shared/domain/records/csv/parse-csv.ts';
import type { CsvColumns } from '../../../../shared/domain/records/csv/row-to-record.ts';

/** All that a file holds, read to its end. */
export async function parseCsv(file: string | Uint8Array, columns: CsvColumns, encoding?: string) {
  const drafts: CsvDraft[] = [];
  const errors: RowError[] = [];
  const warnings: CsvWarning[] = [];
  for await (const entry of await readCsv(
    typeof file === 'string' ? Buffer.from(file) : file,
    columns,
    encoding,
  )) {
    if (isDraft(entry)) drafts.push(entry);
    else if (isWarning(entry)) warnings.push(entry);
    else errors.push(entry);
  }
  return { drafts, errors, warnings };
}
