import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { OperationRequest } from '../../../client/src/client.ts';
import { CliError } from '../cli-error.ts';
import { findId } from '../session/named.ts';
import { type CliSession, commandSession } from '../session/session.ts';
import { parsedJson } from '../terminal/input.ts';
import { formatDuration, print, printJson, showProgress, styledStatus } from '../terminal/output.ts';
import { showRun } from './shown-run.ts';

interface RunOptions {
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
    .option('--no-wait', 'with --type: does not wait for the end')
    .action(async (flow: string, options: RunOptions, command: Command) => {
      const session = commandSession(command);
      const id = await findId(session.client, 'flow', flow);
      if (options.type !== undefined) await runOnType(session, id, options.type, options.wait);
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

async function runOnType({ client, isJson }: CliSession, id: string, recordType: string, isAwaited: boolean) {
  const started = await client.flows.runOnRecordType({ params: { id }, body: { recordType } });
  if (!isAwaited) return isJson ? printJson(started) : print(started.batchId);
  let batch = await client.batches.status({ params: { id: started.batchId } });
  while (!batch.completedAt) {
    showProgress(`${batch.processedRecords} of ${batch.totalRecords} records`);
    await sleep(pollMs);
    batch = await client.batches.status({ params: { id: started.batchId } });
  }
  showProgress('');
  if (batch.status !== 'completed' || batch.failedRecords > 0) process.exitCode = 1;
  if (isJson) return printJson(batch);
  const took = formatDuration(Date.parse(batch.completedAt) - Date.parse(batch.startedAt));
  const counts = `${batch.successCount} of ${batch.totalRecords} records succeeded`;
  print(`${styledStatus(batch.status)}: ${counts}, ${batch.failedRecords} failed (${took})`);
  if (batch.failedRecords > 0) print(`See why: agent-flow trace ${started.batchId}`);
}
