import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { startDynamoDb } from '../../infra/local/dynamodb/dynamodb.ts';
import { ensureTable } from '../../infra/local/dynamodb/table.ts';
import { forEachConcurrently } from '../../shared/core/concurrency/map-concurrently.ts';
import { writesAtOnce } from '../../shared/domain/records/bulk/bulk-edit.ts';
import { documentClient } from '../../shared/platform/data/client.ts';
import { uploadFirstAirports } from '../flows/batch.ts';
import { useTable } from '../http/warm-get.ts';
import { type Figure, printProgress, round } from '../measure/figure.ts';
import type { SentCommand } from '../measure/recorder.ts';
import { type BenchStack, startBenchStack } from '../measure/stack.ts';

const records = 3_000;
const turns = 3;

/** (l) The speed of a bulk edit of 3,000 records on disk, relative to its transactions alone. */
export async function measureBulkEdit(): Promise<Figure[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-edit-'));
  await using stack = await startBenchStack({ dataDir: directory.path });
  await stack.ask('startRecording', { capacity: false });
  await uploadFirstAirports(stack.api, 'airport', records);
  await secondsOfEdit(stack, 0);
  const sent = await stack.ask('stopRecording');
  const edits: number[] = [];
  const bare: number[] = [];
  const cpuBefore = await stack.ask('cpuMs');
  for (let turn = 1; turn <= turns; turn++) {
    printProgress(`l: a bulk edit of ${records} records, ${turn} of ${turns}`);
    edits.push(await secondsOfEdit(stack, turn));
    bare.push(await secondsOfUpdates(stack.facts.table, sent));
  }
  const cpuMs = (await stack.ask('cpuMs')) - cpuBefore;
  const [seconds, bareSeconds] = [Math.min(...edits), Math.min(...bare)];
  const perSecond = (taken: number) => round(records / taken, 0);
  return [
    {
      figure: 'l',
      what: `throughput of a bulk edit of ${records} records, as a share of its transactions alone`,
      value: round(bareSeconds / seconds),
      unit: 'of the bare limit',
      goal: { atLeast: 0.6 },
      details: {
        recordsPerSecond: perSecond(seconds),
        bareRecordsPerSecond: perSecond(bareSeconds),
        atOnce: writesAtOnce,
        cpuMsPerRecord: round(cpuMs / turns / records, 2),
        turns: edits.map((edit, turn) => [edit, bare[turn] ?? 0].map(perSecond)),
      },
    },
  ];
}

/** From the request to its response, including the reads and the edited records in the response. */
async function secondsOfEdit({ api }: BenchStack, turn: number): Promise<number> {
  const began = performance.now();
  const { recordIds } = await api.call('records.bulk-edit', {
    body: { recordFilter: { type: 'airport' }, updates: { turn } },
  });
  if (recordIds.length !== records) throw new Error(`${recordIds.length} records were edited`);
  return (performance.now() - began) / 1_000;
}

/** Sends the same updates to an idle engine with the same records. */
async function secondsOfUpdates(table: string, sent: readonly SentCommand[]): Promise<number> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-updates-'));
  const engine = await startDynamoDb(directory.path);
  try {
    useTable(engine.endpoint, table);
    await ensureTable(table);
    const client = documentClient();
    for (const { name, input } of sent) {
      if (name === 'TransactWrite' && updatesIn(input).length === 0)
        await client.send(new TransactWriteCommand(input as TransactWriteCommandInput));
    }
    const transactions = sent.filter(({ input }) => updatesIn(input).length > 0);
    const updates = transactions.flatMap(({ input }) => updatesIn(input));
    if (updates.length !== records) throw new Error(`${updates.length} updates were sent`);
    const began = performance.now();
    await forEachConcurrently(transactions, writesAtOnce, async ({ input }) => {
      await client.send(new TransactWriteCommand(input as TransactWriteCommandInput));
    });
    return (performance.now() - began) / 1_000;
  } finally {
    await engine.stop();
  }
}

/** The edits of records in a transaction. */
const updatesIn = (input: object) =>
  ((input as Partial<TransactWriteCommandInput>).TransactItems ?? []).filter(
    ({ Update }) => Update && '#revision' in (Update.ExpressionAttributeNames ?? {}),
  );
