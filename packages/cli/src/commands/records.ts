import { createWriteStream, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { CliError } from '../cli-error.ts';
import { callerPath } from '../session/caller-path.ts';
import { type CliSession, commandSession } from '../session/session.ts';
import { print, printJson, printNotice, showProgress } from '../terminal/output.ts';
import {
  continueFile,
  describeImport,
  downloadExport,
  type FileSettings,
  followImport,
  sendFile,
  toFileFormat,
} from './data-files.ts';

interface UploadOptions {
  nameColumn?: string;
  typeColumn?: string;
  type?: string;
  encoding?: string;
}

type ImportOptions = FileSettings & { watch?: true; continue?: string };

interface ExportOptions {
  type?: string;
  output?: string;
  format?: string;
  import?: string;
}

export function addRecords(program: Command): void {
  const records = program.command('records').description('Upload, import or export records');
  records
    .command('upload')
    .description('Make a record of each row of a CSV file')
    .argument('<file>')
    .option('--name-column <column>', 'the column with the names')
    .option('--type-column <column>', 'the column with the types')
    .addOption(new Option('--type <type>', 'the type of all records').conflicts('typeColumn'))
    .option('--encoding <encoding>', 'the encoding of the file, such as windows-1251, if it is not in UTF-8')
    .action(async (file: string, options: UploadOptions, command: Command) =>
      upload(commandSession(command), file, options),
    );
  records
    .command('import')
    .description('Import a file of any size: CSV, JSON Lines or Parquet, also packed by gzip')
    .argument('<file>')
    .option('--name-column <column>', 'the column with the names')
    .option('--type-column <column>', 'the column with the types')
    .addOption(
      new Option('--type <type>', 'the type of all records; default: the name of the file').conflicts(
        'typeColumn',
      ),
    )
    .option('--encoding <encoding>', 'the encoding of the file, if it is not in UTF-8')
    .option('--upsert', 'changes records that have the name, instead of skipping the row')
    .option('--key <columns>', 'the columns that find a record, separated by commas; implies --upsert')
    .option('--continue <import>', 'goes on with an upload that broke off, by the id of the import')
    .option('--watch', 'waits for the end')
    .action(async (file: string, options: ImportOptions, command: Command) =>
      importRecords(commandSession(command), file, options),
    );
  records
    .command('export')
    .description('Write records to the standard output or to a file')
    .addOption(
      new Option('--format <format>', 'writes the file in the background, at any size').choices([
        'csv',
        'jsonl',
        'parquet',
      ]),
    )
    .option('--import <import>', 'only those that an import created, by its id')
    .option('--type <type>', 'only those of a type')
    .option('--output <file>', 'a file instead of the standard output')
    .action(async (options: ExportOptions, command: Command) =>
      exportRecords(commandSession(command), options),
    );
}

async function upload({ client, isJson }: CliSession, path: string, options: UploadOptions): Promise<void> {
  const blob = await blobOf(path);
  const file = new File([blob], basename(path), { type: 'text/csv' });
  const sum = { created: 0, errors: 0, errorDetails: [] as string[], warnings: [] as { message: string }[] };
  let nextLine: number | undefined;
  do {
    const answer = await client.records.uploadCsv({
      body: {
        file,
        nameColumn: options.nameColumn,
        typeColumn: options.typeColumn,
        typeValue: options.type,
        encoding: options.encoding,
        ...(nextLine !== undefined && { fromLine: String(nextLine) }),
      },
    });
    nextLine = answer.nextLine;
    sum.created += answer.created;
    // The line at which time ran out is an error too, and is uploaded next.
    sum.errors += answer.errors - (nextLine === undefined ? 0 : 1);
    sum.errorDetails.push(...answer.errorDetails.filter((text) => !text.startsWith(`Line ${nextLine}:`)));
    sum.warnings.push(...(answer.warnings ?? []));
    showProgress(`${sum.created} records`);
  } while (nextLine !== undefined);
  showProgress('');
  if (sum.errors > 0) process.exitCode = 1;
  if (isJson) return printJson(sum);
  print(`Created ${sum.created} records; ${sum.errors} rows failed`);
  for (const problem of sum.errorDetails) print(problem);
  for (const { message } of sum.warnings) print(message);
}

async function blobOf(path: string): Promise<Blob> {
  try {
    return await openAsBlob(callerPath(path));
  } catch {
    throw new CliError(`${path} cannot be read`);
  }
}

async function importRecords(
  session: CliSession,
  path: string,
  { watch, continue: begun, ...settings }: ImportOptions,
): Promise<void> {
  const { isJson, client } = session;
  const id =
    begun === undefined ? await sendFile(session, path, settings) : await continueFile(session, path, begun);
  if (!watch) return isJson ? printJson(await client.imports.get({ params: { id } })) : print(id);
  const ended = await followImport(session, id);
  if (ended.status !== 'completed' || ended.rows.failed > 0) process.exitCode = 1;
  if (isJson) return printJson(ended);
  print(describeImport(ended));
  if (ended.problemsUrl) print(`The rows that were skipped, for an hour: ${ended.problemsUrl}`);
}

async function exportRecords(session: CliSession, options: ExportOptions): Promise<void> {
  const { type, output, format, import: importId } = options;
  if (format === undefined && importId === undefined) return streamRecords(session, options);
  const filter = {
    ...(type !== undefined && { recordType: type }),
    ...(importId !== undefined && { importId }),
  };
  const rows = await downloadExport(
    session,
    { what: 'records', filter, ...toFileFormat(output, format) },
    output,
  );
  if (output !== undefined) printNotice(`${rows} rows in ${output}`);
}

async function streamRecords({ client }: CliSession, { type, output }: ExportOptions): Promise<void> {
  const target = output === undefined ? undefined : createWriteStream(callerPath(output));
  let after: string | undefined;
  do {
    const { body, headers } = await client.send('records.export', { query: { type, after } });
    if (body) await pipeline(Readable.fromWeb(body as never), target ?? process.stdout, { end: false });
    after = headers.get('x-next-after') ?? undefined;
  } while (after !== undefined);
  target?.end();
}
