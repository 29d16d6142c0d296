import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transactionsAtOnce } from '../../shared/domain/records/record-store.ts';
import { type Figure, printProgress, round } from '../measure/figure.ts';
import type { SentCommand } from '../measure/recorder.ts';
import { type BenchApi, type BenchStack, startBenchStack } from '../measure/stack.ts';
import { type BareWrite, secondsOfWrites } from './bare-writes.ts';

const rows = 10_000;
const fewRows = 1_000;
const turns = 3;
/** A file of 10,000 rows of this size has nearly the 4.4 MB limit of a call. */
const columns = 10;

/** (m) How fast a CSV file of 10,000 rows becomes records on disk, relative to its transactions alone. */
export async function measureCsvSpeed(): Promise<Figure[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-csv-'));
  await using stack = await startBenchStack({ dataDir: directory.path });
  const warmUp = await recordedUpload(stack, 'warm-up', fewRows);
  const measured = await recordedUpload(stack, 'recorded', rows);
  const seconds: number[] = [];
  const bareSeconds: number[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    printProgress(`m: CSV upload, ${turn} of ${turns}`);
    const began = performance.now();
    await upload(stack.api, `turn ${turn}`, rows);
    seconds.push((performance.now() - began) / 1_000);
    bareSeconds.push(await secondsOfWrites(stack.facts.table, { warmUp, measured }, transactionsAtOnce));
  }
  // Takes the best of each, since other load can only slow them down.
  const [best, bareBest] = [Math.min(...seconds), Math.min(...bareSeconds)];
  const rowsPerSecond = (each: number) => round(rows / each, 0);
  return [
    {
      figure: 'm',
      what: `rows per second of a CSV file of ${rows} rows, as a share of its transactions alone`,
      value: round(bareBest / best),
      unit: 'of the bare limit',
      goal: { atLeast: 0.6 },
      details: {
        rowsPerSecond: rowsPerSecond(best),
        bareRowsPerSecond: rowsPerSecond(bareBest),
        atOnce: transactionsAtOnce,
        turns: seconds.map((each, turn) => [rowsPerSecond(each), rowsPerSecond(bareSeconds[turn] ?? 0)]),
      },
    },
  ];
}

/** (n) The peak memory for a file, each in a process that has read only a small file before. */
export async function measureCsvMemory(): Promise<Figure[]> {
  const peakAfter = async (count: number) => {
    printProgress(`n: memory of a CSV upload of ${count} rows`);
    await using stack = await startBenchStack();
    await upload(stack.api, 'warm-up', 100);
    await upload(stack.api, 'measured', count);
    return stack.ask('peakRss');
  };
  const [few, many] = [await peakAfter(fewRows), await peakAfter(rows)];
  return [
    {
      figure: 'n',
      what: `peak memory of the process at a CSV file of ${rows} rows over that at ${fewRows}`,
      value: round(many / few),
      unit: 'times',
      goal: { atMost: 1.3 },
      details: { megabytes: [few, many].map((bytes) => round(bytes / 1_000_000, 1)) },
    },
  ];
}

async function upload({ call }: BenchApi, recordType: string, count: number): Promise<void> {
  const file = new File([csvOf(count)], 'rows.csv');
  const body = { file, nameColumn: 'name', typeValue: recordType };
  const { created } = await call('records.upload-csv', { body });
  if (created !== count) throw new Error(`${created} of ${count} rows became records`);
}

const csvOf = (count: number) =>
  [
    ['name', ...Array.from({ length: columns }, (_, n) => `column ${n}`)],
    ...Array.from({ length: count }, (_, row) => [
      `row ${row}`,
      ...Array.from({ length: columns }, (_, n) => `the value ${n} of the row number ${row}`),
    ]),
  ]
    .map((cells) => cells.join(','))
    .join('\n');

async function recordedUpload({ api, ask }: BenchStack, recordType: string, count: number) {
  await ask('startRecording', { capacity: false });
  await upload(api, recordType, count);
  const sent = await ask('stopRecording');
  return sent.filter((command): command is SentCommand & BareWrite => command.name === 'TransactWrite');
}
