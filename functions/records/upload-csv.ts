import * as z from 'zod';
import { invalidAt } from '../../shared/core/errors/errors.ts';
import { parseCharset } from '../../shared/core/text-encoding.ts';
import { Warning } from '../../shared/core/warnings.ts';
import {
  cutErrors,
  firstRows,
  renderCsvWarnings,
  renderRowErrors,
} from '../../shared/domain/records/csv/csv-report.ts';
import {
  type CsvDraft,
  type CsvEntry,
  type CsvWarning,
  isDraft,
  isWarning,
  type RowError,
  readCsv,
} from '../../shared/domain/records/csv/parse-csv.ts';
import { Metadata } from '../../shared/domain/records/record.ts';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import {
  countResponseBytes,
  responseBytesMax,
  takeWithinBytes,
} from '../../shared/platform/http/responses/body-sizes.ts';

const listedMax = 1_000;

export const uploadCsv = defineEndpoint({
  id: 'records.upload-csv',
  method: 'POST',
  path: '/v1/records/upload-csv',
  permission: 'RECORDS:WRITE',
  summary: 'Create records from a CSV file',
  description: `Creates one record per row, with the cells as text metadata; blank cells are left out.

- The names come from \`nameColumn\` (by default the column "name"), the type from \`typeValue\`, else from \`typeColumn\`; neither column appears in the metadata.
- The service detects commas, semicolons and tabs as delimiters, and UTF-8, UTF-16 with a byte order mark, ISO-2022-JP and Windows-1252 as encodings. It reads others if \`encoding\` or the media type of the file names them, and answers 400 where no encoding is certain enough.
- Bytes that are not in the encoding cost their cell only: U+FFFD takes their place, and \`warnings\` says in which line. In a name or a type they cost the row, in the header the file. \`warnings\` also says that the file was read as Windows-1252, which is a guess.
- \`errorDetails\` reports invalid rows by line number; the other rows become records. Uploading a file again reports its rows as taken.
- A file has up to 10,000 rows and 5,002 columns (5,000, the name and the type).
- The response lists the first 1,000 records, or as many as fit 5 MB with \`errorDetails\`, which take up to half of it.
- If the time limit of 29 seconds is near, the response reports the rows that are done and \`nextLine\`, the line of the first row that is not: upload the same file again with \`fromLine\` set to it. Every row then becomes one record, as in one request.`,
  bodyType: 'multipart',
  body: z.strictObject({
    file: z.file(),
    nameColumn: z.string().optional(),
    typeColumn: z.string().optional(),
    typeValue: z.string().max(255).optional(),
    encoding: z.string().max(100).optional().meta({
      description:
        'The encoding of the file, such as `windows-1251` or `gbk`: a label of the Encoding Standard. A byte order mark outdoes it',
    }),
    fromLine: z
      .string()
      .regex(/^\d{1,9}$/, 'Expected a line number')
      .transform(Number)
      .optional()
      .meta({ description: 'Skips the rows before this line: the `nextLine` of an earlier response' }),
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
        nextLine: z.int().optional().meta({
          description:
            'The line of the first row that was not processed for lack of time; absent if all were',
        }),
        warnings: z.array(Warning).optional().meta({
          description: 'What may be wrong with the texts of records that were created; absent if nothing is',
        }),
        records: z.array(
          z.object({ id: z.string(), type: z.string(), name: z.string(), metadata: Metadata }),
        ),
      }),
    },
  },
  errors: [400],
  needs: { records: recordStore },

  async handle({ body: { file, encoding, fromLine = 0, ...columns }, principal, timeLeftMs }, { records }) {
    if (!columns.typeValue && !columns.typeColumn) {
      throw invalidAt('typeValue', 'MISSING_REQUIRED_FIELD', 'Required: typeValue or typeColumn');
    }
    const errors: RowError[] = [];
    const found: CsvWarning[] = [];
    const shown = firstRows(listedMax);
    let created = 0;
    const drafts = draftsIn(
      await readCsv(await file.bytes(), columns, encoding ?? parseCharset(file.type)),
      fromLine,
      errors,
      found,
    );
    const unfinished = await records.createEach(principal, drafts, {
      timeLeftMs,
      onDone(done) {
        created += done.created.length;
        shown.add(done.created.map(({ draft: { line }, record }) => ({ line, record })));
        const message = 'a record with this type and name already exists';
        errors.push(...done.taken.map(({ draft: { line } }) => ({ line, message })));
      },
    });
    const nextLine = unfinished.length > 0 ? Math.min(...unfinished.map(({ line }) => line)) : undefined;
    const reported = nextLine === undefined ? errors : cutErrors(nextLine, errors);
    const errorDetails = renderRowErrors(reported);
    const failed = new Set(reported.map(({ line }) => line));
    const isStored = ({ line }: RowError) =>
      !failed.has(line) && line < (nextLine ?? Number.POSITIVE_INFINITY);
    const warnings = renderCsvWarnings(found.filter(isStored));
    return {
      success: created > 0,
      created,
      errors: reported.length,
      errorDetails,
      message: `Created ${created} records; ${reported.length} rows failed, see errorDetails${warnings.length > 0 ? ' and warnings' : ''}`,
      ...(nextLine !== undefined && { nextLine }),
      ...(warnings.length > 0 && { warnings }),
      records: takeWithinBytes(
        shown.all(),
        responseBytesMax - countResponseBytes({ errorDetails, warnings }),
      ),
    };
  },
});

/** Yields the valid drafts from a line on, and collects the errors of the other rows. */
async function* draftsIn(
  entries: AsyncIterable<CsvEntry>,
  fromLine: number,
  errors: RowError[],
  warnings: CsvWarning[],
): AsyncGenerator<CsvDraft> {
  for await (const entry of entries) {
    if (entry.line < fromLine) continue;
    if (isDraft(entry)) yield entry;
    else if (isWarning(entry)) warnings.push(entry);
    else errors.push(entry);
  }
}

export const handler = toLambda(uploadCsv);
