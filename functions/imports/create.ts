import { NewImport } from '../../shared/domain/imports/import.ts';
import { importCreator } from '../../shared/domain/imports/import-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AwaitingImport, toImportResponse } from './schemas.ts';

export const createImport = defineEndpoint({
  id: 'imports.create',
  method: 'POST',
  path: '/v1/imports',
  permission: 'RECORDS:WRITE',
  summary: 'Create an import',
  description: `Declares a file of up to 5 GB, plain or gzip, whose rows become records. Send the file by PUT to \`upload.url\`, or a file of more than 100 MB (say its \`bytes\`) to \`upload.parts\`, then start the import. With a \`source.url\`, start it at once: the service loads the file by the rules for steps, with at most five redirects.

- A file has at most 10,000,000 rows of 256 KB and 5,000 columns; the columns of the name and the type leave the metadata.
- \`auto\` decides for each column of CSV from its first 1,000 cells: all numbers that are kept exactly and have no leading zeros, all \`true\` or \`false\`, or all lists and objects. Other columns, and later cells that do not fit, are text. Values of JSON Lines and Parquet keep their types.
- \`upsert\` finds records by their type and \`key\`, changes the members that the file has columns for, and creates the others. Of two rows with one key, the last wins.
- With \`onError: "stop"\`, the first row with a problem ends the import, and nothing after it is stored.`,
  body: NewImport,
  response: { kind: 'json', bodies: { 201: AwaitingImport } },
  errors: [400],
  needs: { create: importCreator, now: clock },

  async handle({ body, principal }, { create, now }) {
    const { item, upload } = await create(principal, body);
    return { ...toImportResponse(item, now(), null), upload };
  },
});

export const handler = toLambda(createImport);
