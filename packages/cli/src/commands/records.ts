import { createWriteStream, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { CliError } from '../cli-error.ts';
import { callerPath } from '../session/caller-path.ts';
import { type CliSession, commandSession } from '../session/session.ts';
import { print, printJson, showProgress } from '../terminal/output.ts';

interface UploadOptions {
  nameColumn?: string;
  typeColumn?: string;
  type?: string;
  encoding?: string;
}

interface ExportOptions {
  type?: string;
  output?: string;
}

export function addRecords(program: Command): void {
  const records = program.command('records').description('Upload or export records');
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
    .command('export')
    .description('Write records as CSV to the standard output or to a file')
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

async function exportRecords({ client }: CliSession, { type, output }: ExportOptions): Promise<void> {
  const target = output === undefined ? undefined : createWriteStream(callerPath(output));
  let after: string | undefined;
  do {
    const { body, headers } = await client.send('records.export', { query: { type, after } });
    if (body) await pipeline(Readable.fromWeb(body as never), target ?? process.stdout, { end: false });
    after = headers.get('x-next-after') ?? undefined;
  } while (after !== undefined);
  target?.end();
}
