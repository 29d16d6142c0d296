import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Client, OperationItem } from '../../../client/src/client.ts';
import { commandSession } from '../session/session.ts';
import {
  formatDuration,
  formatRow,
  type OutputColumn,
  print,
  printJson,
  printTable,
  styledStatus,
} from '../terminal/output.ts';

type Run = OperationItem<'runs.list'>;

interface RunsOptions {
  kind?: string;
  status?: string;
  limit: string;
  follow?: true;
}

const pollMs = 2_000;

const columns: OutputColumn<Run>[] = [
  { title: 'STARTED', text: ({ startedAt }) => startedAt ?? '' },
  { title: 'STATUS', text: ({ status }) => status, style: ({ status }, text) => styledStatus(status, text) },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'DURATION', text: ({ durationMs }) => formatDuration(durationMs) },
  { title: 'COST', text: ({ totalCost }) => totalCost ?? '' },
  { title: 'ID', text: ({ id }) => id },
  { title: 'NAME', text: ({ name }) => name },
];
/** Of a line that is printed by itself. */
const widths = [24, 9, 5, 8, 10, 32, 0];

export const addRuns = (program: Command) =>
  program
    .command('runs')
    .description('List what ran, newest first')
    .option('--kind <kinds>', 'batch, flow, agent or tool; several with commas')
    .option('--status <statuses>', 'scheduled, running, paused, completed, failed or cancelled')
    .option('--limit <number>', 'how many, from 1 to 100', '20')
    .option('--follow', 'prints each run that starts or changes from now on')
    .action(async (options: RunsOptions, command: Command) => {
      const { client, isJson } = commandSession(command);
      const rows = await newest(client, options);
      if (isJson && !options.follow) return printJson(rows);
      // The newest one is the last one where others follow.
      if (!isJson) printTable(columns, options.follow ? rows.toReversed() : rows);
      if (options.follow) await follow(client, options, isJson, rows);
    });

async function newest(client: Client, { kind, status, limit }: RunsOptions): Promise<Run[]> {
  const { data } = await client.runs.list({ query: { kind, status, limit } });
  return data;
}

/** Prints a run again when its status changes; with --json as one line each. */
async function follow(client: Client, options: RunsOptions, isJson: boolean, listed: readonly Run[]) {
  const statuses = new Map(listed.map(({ id, status }) => [id, status]));
  if (isJson) for (const run of listed.toReversed()) print(JSON.stringify(run));
  for (;;) {
    await sleep(pollMs);
    for (const run of (await newest(client, options)).toReversed()) {
      if (statuses.get(run.id) === run.status) continue;
      statuses.set(run.id, run.status);
      print(isJson ? JSON.stringify(run) : formatRow(columns, widths, run));
    }
  }
}
