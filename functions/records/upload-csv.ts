import * as z from 'zod';
import { invalidAt } from '../../shared/core/errors.ts';
import {
  type CsvDraft,
  type CsvEntry,
  isDraft,
  type RowError,
  readCsv,
} from '../../shared/domain/records/csv.ts';
import { Metadata, type RecordItem } from '../../shared/domain/records/record.ts';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { responseBytes, responseBytesMax, takeWithinBytes } from '../../shared/platform/http/envelope.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

const listedMax = 1_000;

export const uploadCsv = defineEndpoint({
  id: 'records.upload-csv',
  method: 'POST',
  path: '/v1/records/upload-csv',
  permission: 'RECORDS:WRITE',
  summary: 'Create records from a CSV file',
  description:
    'Creates one record per row, with the cells as text metadata; blank cells are left out. The names come from ' +
    '`nameColumn` (by default the column "name"), the type from `typeValue`, else from `typeColumn`; neither column ' +
    'appears in the metadata. The service detects commas, semicolons and tabs as delimiters, and UTF-8, ' +
    'Windows-1252 and UTF-16 as encodings. `errorDetails` reports invalid rows by line number; the other rows become records. ' +
    'Uploading a file again reports its rows as taken. A file has up to 10,000 rows and 5,002 columns ' +
    '(5,000, the name and the type). ' +
    'The response lists the first 1,000 records, or as many as fit 5 MB.',
  bodyType: 'multipart',
  body: z.strictObject({
    file: z.file(),
    nameColumn: z.string().optional(),
    typeColumn: z.string().optional(),
    typeValue: z.string().max(255).optional(),
  }),
  response: {
    kind: 'json',
    bodies: {
      201: z.object({
        success: z.boolean().meta({ description: 'Whether any record was created' }),
        created: z.int(),
        errors: z.int(),
        errorDetails: z.array(z.string()),
        message: z.string(),
        records: z.array(
          z.object({ id: z.string(), type: z.string(), name: z.string(), metadata: Metadata }),
        ),
      }),
    },
  },
  errors: [400, 413, 415],
  needs: { records: recordStore },

  async handle({ body: { file, ...columns }, principal }, { records }) {
    if (!columns.typeValue && !columns.typeColumn) {
      throw invalidAt('typeValue', 'MISSING_REQUIRED_FIELD', 'Required: typeValue or typeColumn');
    }
    const errors: RowError[] = [];
    const shown = firstRows(listedMax);
    let created = 0;
    const drafts = draftsIn(await readCsv(await file.bytes(), columns), errors);
    await records.createEach(principal, drafts, (done) => {
      created += done.created.length;
      shown.add(done.created.map(({ draft: { line }, record }) => ({ line, record })));
      const message = 'a record with this type and name already exists';
      errors.push(...done.taken.map(({ draft: { line } }) => ({ line, message })));
    });
    const errorDetails = errors
      .toSorted((one, other) => one.line - other.line)
      .map((error) => `Line ${error.line}: ${error.message}`);
    return {
      success: created > 0,
      created,
      errors: errors.length,
      errorDetails,
      message: `Created ${created} records; ${errors.length} rows failed, see errorDetails`,
      records: takeWithinBytes(shown.all(), responseBytesMax - responseBytes(errorDetails)),
    };
  },
});

/** Yields the valid drafts, and collects the errors of the other rows. */
async function* draftsIn(entries: AsyncIterable<CsvEntry>, errors: RowError[]): AsyncGenerator<CsvDraft> {
  for await (const entry of entries) {
    if (isDraft(entry)) yield entry;
    else errors.push(entry);
  }
}

/** Collects the records of the first rows, in whatever order they are created. */
function firstRows(max: number) {
  let kept: { line: number; record: RecordItem }[] = [];
  const inOrder = () => kept.toSorted((one, other) => one.line - other.line).slice(0, max);
  return {
    add(more: typeof kept) {
      kept.push(...more);
      if (kept.length > 2 * max) kept = inOrder();
    },
    all: () => inOrder().map(({ record }) => record),
  };
}

export const handler = toLambda(uploadCsv);
