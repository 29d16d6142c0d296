import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { OperationRequest } from '../../../client/src/client.ts';
import { CliError } from '../cli-error.ts';
import { findId } from '../session/named.ts';
import { type CliSession, commandSession } from '../session/session.ts';
import { parsedJson } from '../terminal/input.ts';
import {
  formatDuration,
  print,
  printJson,
  printNotice,
  showProgress,
  styledStatus,
} from '../terminal/output.ts';
import { describeImport, downloadExport, followImport, sendFile, toFileFormat } from './data-files.ts';
import { showRun } from './shown-run.ts';

interface RunOptions {
  file?: string;
  out?: string;
  nameColumn?: string;
  record?: string;
  type?: string;
  input?: string;
  wait: boolean;
}

const pollMs = 1_000;

export const addRun = (program: Command) =>
  program
    .command('run')
    .description('Run a flow: by itself, on one record, or on all records of a type')
    .argument('<flow>', 'its id or its name')
    .option('--record <record>', 'the id or the name of a record')
    .addOption(new Option('--type <type>', 'runs on all records of a type').conflicts(['record', 'input']))
    .option('--input <json>', 'the inputs, as a JSON object')
    .addOption(
      new Option('--file <file>', 'imports a file, and runs on its records').conflicts(['record', 'input']),
    )
    .option('--name-column <column>', 'with --file: the column with the names')
    .option('--out <file>', 'with --file or --type: writes a table with the results')
    .option('--no-wait', 'with --type: does not wait for the end')
    .action(async (flow: string, options: RunOptions, command: Command) => {
      const session = commandSession(command);
      const id = await findId(session.client, 'flow', flow);
      if (options.file !== undefined) await runOnFile(session, id, { ...options, file: options.file });
      else if (options.type !== undefined) await runOnType(session, id, options.type, options);
      else await runOnce(session, id, options);
    });

async function runOnce(session: CliSession, id: string, { record, input }: RunOptions): Promise<void> {
  const { client } = session;
  const recordId = record === undefined ? undefined : await findId(client, 'record', record);
  const body: NonNullable<OperationRequest<'dispatch.run'>['body']> = {
    flow: { id },
    ...(recordId && { record: { id: recordId } }),
    ...(input !== undefined && { inputs: inputsIn(input) }),
  };
  await showRun(session, {
    whole: () => client.dispatch.run({ body }),
    events: () => client.dispatch.stream({ body }),
  });
}

function inputsIn(text: string): Record<string, unknown> {
  const inputs = parsedJson('--input', text);
  if (typeof inputs === 'object' && inputs !== null && !Array.isArray(inputs)) return { ...inputs };
  throw new CliError('--input is not a JSON object. Example: --input \'{"who": "Ada"}\'');
}

/** Imports the file under a type of its own, unless one is named, so that the flow runs on its records alone. */
async function runOnFile(
  session: CliSession,
  id: string,
  { file, type, out, nameColumn }: RunOptions & { file: string },
): Promise<void> {
  const recordType = type ?? `${basename(file)} ${new Date().toISOString()}`;
  const settings = { type: recordType, ...(nameColumn !== undefined && { nameColumn }) };
  const ended = await followImport(session, await sendFile(session, file, settings));
  printNotice(`Import ${describeImport(ended)}`);
  if (ended.rows.created === 0) throw new CliError('The file gave no record, so there is nothing to run on');
  if (ended.rows.failed > 0) process.exitCode = 1;
  await runOnType(session, id, recordType, { wait: true, ...(out !== undefined && { out }) });
}

async function runOnType(
  session: CliSession,
  id: string,
  recordType: string,
  { wait: isAwaited, out }: Pick<RunOptions, 'wait' | 'out'>,
) {
  const { client, isJson } = session;
  const started = await client.flows.runOnRecordType({ params: { id }, body: { recordType } });
  if (!isAwaited) return isJson ? printJson(started) : print(started.batchId);
  let batch = await client.batches.status({ params: { id: started.batchId } });
  while (!batch.completedAt) {
    showProgress(`${batch.processedRecords} of ${batch.totalRecords} records`);
    await sleep(pollMs);
    batch = await client.batches.status({ params: { id: started.batchId } });
  }
  showProgress('');
  if (out !== undefined) await writeTable(session, started.batchId, out);
  if (batch.status !== 'completed' || batch.failedRecords > 0) process.exitCode = 1;
  if (isJson) return printJson(batch);
  const took = formatDuration(Date.parse(batch.completedAt) - Date.parse(batch.startedAt));
  const counts = `${batch.successCount} of ${batch.totalRecords} records succeeded`;
  print(`${styledStatus(batch.status)}: ${counts}, ${batch.failedRecords} failed (${took})`);
  if (batch.failedRecords > 0) print(`See why: agent-flow trace ${started.batchId}`);
}

async function writeTable(session: CliSession, batchId: string, out: string): Promise<void> {
  const body = { what: 'batch' as const, filter: { batchId }, ...toFileFormat(out), flatten: true };
  printNotice(`${await downloadExport(session, body, out)} rows in ${out}`);
}
