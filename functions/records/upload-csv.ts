import * as z from 'zod';
import { defineEndpoint } from '../../shared/http/endpoint.ts';
import { invalidAt } from '../../shared/http/errors.ts';
import { toLambda } from '../../shared/http/lambda.ts';
import { parseCsv } from '../../shared/records/csv.ts';
import { firstWithin, jsonBytes } from '../../shared/records/limits.ts';
import { Metadata } from '../../shared/records/record.ts';
import { recordStore } from '../../shared/records/record-store.ts';

/** An answer of a Lambda may have 6 MB. */
const answerBytesMax = 5_000_000;
const listedMax = 1_000;

export const uploadCsv = defineEndpoint({
  id: 'records.upload-csv',
  method: 'POST',
  path: '/v1/records/upload-csv',
  permission: 'RECORDS:WRITE',
  summary: 'Create records from a CSV file',
  description:
    'A row becomes a record, its cells the metadata: kept as text, blank ones left out. The names come from ' +
    '`nameColumn` (when left out, the column "name"), the type from `typeValue` or else from `typeColumn`; ' +
    'neither column appears in the metadata. Commas, semicolons and tabs are recognised as delimiters, UTF-8, ' +
    'Windows-1252 and UTF-16 as encodings. Rows that make no record are told in `errorDetails` with their line, ' +
    'and the others are created; uploading a file again reports its rows as taken. A call takes 10,000 rows, ' +
    'and the answer lists the first 1,000 records, or as many as fit 5 MB.',
  bodyType: 'multipart',
  body: z.strictObject({
    file: z.file(),
    nameColumn: z.string().optional(),
    typeColumn: z.string().optional(),
    typeValue: z.string().max(255).optional(),
  }),
  responses: {
    201: z.object({
      success: z.boolean().meta({ description: 'Whether any record was created' }),
      created: z.int(),
      errors: z.int(),
      errorDetails: z.array(z.string()),
      message: z.string(),
      records: z.array(z.object({ id: z.string(), type: z.string(), name: z.string(), metadata: Metadata })),
    }),
  },
  errors: [400, 413, 415],
  needs: { records: recordStore },

  async handle({ body: { file, ...columns }, principal }, { records }) {
    if (!columns.typeValue && !columns.typeColumn) {
      throw invalidAt('typeValue', 'MISSING_REQUIRED_FIELD', 'Required: typeValue or typeColumn');
    }
    const { drafts, errors } = parseCsv(await file.bytes(), columns);
    const { created, taken } = await records.createMany(principal, drafts);
    const message = 'a record of this type and name exists already';
    const rowErrors = [...errors, ...taken.map(({ line }) => ({ line, message }))];
    const errorDetails = rowErrors
      .toSorted((one, other) => one.line - other.line)
      .map((error) => `Line ${error.line}: ${error.message}`);
    return {
      success: created.length > 0,
      created: created.length,
      errors: rowErrors.length,
      errorDetails,
      message: `Created ${created.length} records; ${rowErrors.length} rows could not be used`,
      records: firstWithin(created.slice(0, listedMax), answerBytesMax - jsonBytes(errorDetails)),
    };
  },
});

export const handler = toLambda(uploadCsv);
