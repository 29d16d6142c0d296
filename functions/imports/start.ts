import * as z from 'zod';
import { conflict } from '../../shared/core/errors/errors.ts';
import { StartSettings } from '../../shared/domain/imports/import.ts';
import { ImportProblem } from '../../shared/domain/imports/import-problems.ts';
import { importReader, importStarter, withStartSettings } from '../../shared/domain/imports/import-store.ts';
import { Metadata } from '../../shared/domain/records/record.ts';
import { dryRunner } from '../../shared/execution/imports/dry-run.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ImportParams, ImportResponse, toImportResponse } from './schemas.ts';

const DryRun = z.object({
  columns: z.array(
    z.object({ name: z.string(), as: z.string(), examples: z.array(z.unknown()), missing: z.int() }),
  ),
  rows: z
    .array(z.object({ name: z.string(), type: z.string(), metadata: Metadata }))
    .meta({ description: 'The first 20 records that the rows would become' }),
  cells: z.array(z.array(z.string())).meta({
    description:
      'The first 20 rows as the file has them, also those with a problem: a text for each column, cut at 200 characters',
  }),
  problems: z.array(ImportProblem),
  rowsEstimated: z.int(),
});

export const startImport = defineEndpoint({
  id: 'imports.start',
  method: 'POST',
  path: '/v1/imports/{id}/start',
  permission: 'RECORDS:WRITE',
  summary: 'Start an import',
  description:
    'Reads the file that was uploaded until now; later uploads to the address change nothing. With `dryRun`, reads the first 1,000 rows, ' +
    'answers with what they would become, and stores nothing. `settings` replace those with which the import was created, apart from `name` and `source`; ' +
    'a dry run does not keep them. Without a column of names, it answers with the columns and the problem `MISSING_COLUMN` of row 0. ' +
    '409 `UPLOAD_MISSING` if there is no file yet, 409 if it was started before.',
  params: ImportParams,
  body: z.strictObject({ dryRun: z.boolean().default(false), settings: StartSettings.optional() }),
  response: { kind: 'json', bodies: { 200: DryRun, 202: ImportResponse } },
  errors: [400, 404, 409],
  needs: { imports: importReader, start: importStarter, dryRun: dryRunner, now: clock },

  async handle({ params: { id }, body }, { imports, start, dryRun, now }) {
    if (!body.dryRun)
      return { status: 202 as const, body: toImportResponse(await start(id, body.settings), now(), null) };
    const item = await imports.find(id);
    if (item.status !== 'awaiting-upload')
      throw conflict(`The import was started before: it is ${item.status}`);
    return { status: 200 as const, body: await dryRun(item, withStartSettings(item, body.settings)) };
  },
});

export const handler = toLambda(startImport);
