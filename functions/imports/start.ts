import * as z from 'zod';
import { conflict } from '../../shared/core/errors/errors.ts';
import { ImportProblem } from '../../shared/domain/imports/import-problems.ts';
import { importReader, importStarter } from '../../shared/domain/imports/import-store.ts';
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
    'answers with what they would become, and stores nothing. 409 `UPLOAD_MISSING` if there is no file yet, 409 if it was started before.',
  params: ImportParams,
  body: z.strictObject({ dryRun: z.boolean().default(false) }),
  response: { kind: 'json', bodies: { 200: DryRun, 202: ImportResponse } },
  errors: [400, 404, 409],
  needs: { imports: importReader, start: importStarter, dryRun: dryRunner, now: clock },

  async handle({ params: { id }, body }, { imports, start, dryRun, now }) {
    if (!body.dryRun) return { status: 202 as const, body: toImportResponse(await start(id), now(), null) };
    const { status, settings } = await imports.find(id);
    if (status !== 'awaiting-upload') throw conflict(`The import was started before: it is ${status}`);
    return { status: 200 as const, body: await dryRun(id, settings) };
  },
});

export const handler = toLambda(startImport);
