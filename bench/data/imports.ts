/**
 * (imports) How fast files become records and records files, beside bare requests to the engine in the same run, and what
 * memory that takes. Each format has a stack of its own, whose table is on disk.
 *
 * `npm run bench -- imports --rows 1000000 --formats csv,csv.gz,jsonl,parquet --kills 3`: with kills, one more stack imports a
 * CSV file while its processes are killed so often, and its export must have every row once.
 */

import { createWriteStream, openAsBlob, readdirSync, readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { credentials, region } from '../../infra/local/runtime/account.ts';
import { newId } from '../../shared/core/ids.ts';
import { type Figure, printProgress, round } from '../measure/figure.ts';
import { type BenchStack, startBenchStack } from '../measure/stack.ts';

const bareRows = 20_000;
const formats = ['csv', 'csv.gz', 'jsonl', 'parquet'] as const;
type Format = (typeof formats)[number];

export async function measureImports(): Promise<Figure[]> {
  const { values } = parseArgs({
    strict: false,
    options: { rows: { type: 'string' }, formats: { type: 'string' }, kills: { type: 'string' } },
  });
  const rows = Number(values.rows ?? 100_000);
  const asked = String(values.formats ?? 'csv').split(',');
  const figures: Figure[] = [];
  for (const format of formats.filter((each) => asked.includes(each)))
    figures.push(...(await measureFormat(format, rows)));
  if (values.kills) figures.push(await measureKills(rows, Number(values.kills)));
  return figures;
}

async function measureFormat(format: Format, rows: number): Promise<Figure[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-imports-'));
  const file = join(directory.path, `rows.${format}`);
  await writeRows(file, format, rows);
  await using stack = await startBenchStack({ dataDir: join(directory.path, 'data') });
  const few = join(directory.path, `few.${format}`);
  await writeRows(few, format, 1_000);
  await importFile(stack, few, 'warm-up');
  await bareRate(stack, 1_000);
  const before = await bareRate(stack, bareRows);
  const idle = residentBytes();
  const memory = watchMemory();
  printProgress(`imports: ${rows} rows of ${format}`);
  const importing = await importFile(stack, file, 'measured');
  const peak = memory.stop();
  const after = await bareRate(stack, bareRows);
  const exportMemory = watchMemory();
  const exporting = await exportRows(stack, 'measured', format);
  const exportPeak = exportMemory.stop();
  const query = await bareQueryRate(stack);
  const bare = Math.min(before, after);
  const figure = 'imports' as const;
  return [
    {
      figure,
      what: `rows per second of an import of ${rows} rows of ${format}, as a share of bare BatchWriteItem`,
      value: round(rows / importing / bare),
      unit: 'of the bare limit',
      goal: { atLeast: 0.6 },
      details: {
        rowsPerSecond: round(rows / importing, 0),
        bare: [before, after].map((each) => round(each, 0)),
      },
    },
    {
      figure,
      what: `rows per second of an export of ${rows} records as ${format}, as a share of bare Queries of the index and reads of its records`,
      value: round(rows / exporting / query),
      unit: 'of the bare limit',
      goal: { atLeast: 0.6 },
      details: { rowsPerSecond: round(rows / exporting, 0), bare: round(query, 0) },
    },
    {
      figure,
      what: `memory of all processes at an import and an export of ${rows} rows of ${format}, above idle, without the engine`,
      value: round((Math.max(peak.all, exportPeak.all) - idle.all) / 1_000_000, 0),
      unit: 'MB',
      goal: { atMost: 150 },
      details: {
        idle: toMegabytes(idle),
        importing: toMegabytes(peak),
        exporting: toMegabytes(exportPeak),
        megabytesOfFile: round((await openAsBlob(file)).size / 1_000_000, 1),
      },
    },
  ];
}

/** The rows that are missing, twice there or other than in the file. */
async function measureKills(rows: number, kills: number): Promise<Figure> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-imports-'));
  const file = join(directory.path, 'rows.csv');
  await writeRows(file, 'csv', rows);
  const dataDir = join(directory.path, 'data');
  let stack = await startBenchStack({ dataDir });
  const id = await beginImport(stack, file, 'killed');
  for (let kill = 1; kill <= kills; kill++) {
    const from = (rows * kill) / (kills + 1);
    for (;;) {
      const { rows: counts, status } = await stack.api.call('imports.get', { params: { id } });
      if (counts.read >= from || status === 'completed') break;
      await sleep(100);
    }
    printProgress(`imports: kill ${kill} of ${kills}`);
    await stack.kill();
    stack = await startBenchStack({ dataDir });
  }
  await using last = stack;
  await followImport(last, id, rows);
  const url = await exportTo(last, 'killed', 'jsonl');
  const found = new Uint8Array(rows);
  let wrong = 0;
  const { body } = await fetch(url);
  for await (const line of createInterface({ input: Readable.fromWeb(body as never) })) {
    const { name, population } = JSON.parse(line);
    if (name !== `row ${population}` || found[population] === 1) wrong++;
    found[population] = 1;
  }
  return {
    figure: 'imports',
    what: `rows of an import of ${rows} rows, killed ${kills} times, that are missing, twice there or changed`,
    value: wrong + found.filter((each) => each === 0).length,
    unit: 'rows',
    goal: { atMost: 0 },
  };
}

const toMegabytes = (bytes: Record<string, number>) =>
  Object.fromEntries(Object.entries(bytes).map(([name, each]) => [name, round(each / 1_000_000, 0)]));

const rowOf = (n: number) => ({
  name: `row ${n}`,
  city: 'Oslo',
  zip: '0150',
  population: n,
  note: `a text of some words that says little about row ${n}`,
});
const columns = ['name', 'city', 'zip', 'population', 'note'] as const;
const rowsAtOnce = 10_000;

function* groupsOf(rows: number) {
  for (let from = 0; from < rows; from += rowsAtOnce)
    yield Array.from({ length: Math.min(rowsAtOnce, rows - from) }, (_, n) => rowOf(from + n));
}

async function writeRows(file: string, format: Format, rows: number): Promise<void> {
  const texts: Record<Format, () => Iterable<string> | AsyncIterable<Uint8Array>> = {
    csv: () => csvOf(rows),
    'csv.gz': () => csvOf(rows),
    *jsonl() {
      for (const group of groupsOf(rows)) yield group.map((row) => `${JSON.stringify(row)}\n`).join('');
    },
    parquet: () => parquetOf(rows),
  };
  const source = Readable.from(texts[format]());
  if (format === 'csv.gz') await pipeline(source, createGzip(), createWriteStream(file));
  else await pipeline(source, createWriteStream(file));
}

function* csvOf(rows: number): Generator<string> {
  yield `${columns.join(',')}\n`;
  for (const group of groupsOf(rows))
    yield group.map((row) => `${columns.map((name) => row[name]).join(',')}\n`).join('');
}

async function* parquetOf(rows: number): AsyncGenerator<Uint8Array> {
  const types = columns.map((name) => ({
    name,
    type: name === 'population' ? ('DOUBLE' as const) : ('STRING' as const),
  }));
  const schema = schemaFromColumnData({ columnData: types.map((column) => ({ ...column, data: [] })) });
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({ writer, schema });
  const take = () => {
    const bytes = Uint8Array.from(writer.getBytes());
    writer.index = 0;
    return bytes;
  };
  for (const group of groupsOf(rows)) {
    const columnData = types.map((column) => ({ ...column, data: group.map((row) => row[column.name]) }));
    await parquet.write({ columnData, rowGroupSize: group.length });
    yield take();
  }
  await parquet.finish();
  yield take();
}

async function beginImport({ api }: BenchStack, file: string, type: string): Promise<string> {
  const body = { source: { upload: { fileName: file } }, type };
  const { id, upload } = await api.call('imports.create', { body });
  const sent = await fetch(upload?.url ?? '', { method: 'PUT', body: await openAsBlob(file) });
  if (!sent.ok) throw new Error(`The upload is answered with ${sent.status}`);
  await api.call('imports.start', { params: { id }, body: {} });
  return id;
}

async function followImport({ api }: BenchStack, id: string, count?: number): Promise<void> {
  for (;;) {
    const { status, rows, error } = await api.call('imports.get', { params: { id } });
    if (status === 'completed' && (count === undefined || rows.created === count)) return;
    if (status !== 'running' && status !== 'queued')
      throw new Error(`The import is ${status}: ${JSON.stringify({ rows, error })}`);
    await sleep(200);
  }
}

/** @returns seconds */
async function importFile(stack: BenchStack, file: string, type: string): Promise<number> {
  const began = performance.now();
  await followImport(stack, await beginImport(stack, file, type));
  return (performance.now() - began) / 1_000;
}

async function exportTo({ api }: BenchStack, recordType: string, format: Format): Promise<string> {
  const [name, gzip] = format.split('.');
  const body = {
    what: 'records' as const,
    filter: { recordType },
    format: name as 'csv' | 'jsonl' | 'parquet',
    ...(gzip && { compress: 'gzip' as const }),
  };
  const { id } = await api.call('exports.create', { body });
  for (;;) {
    const { url, status, error } = await api.call('exports.get', { params: { id } });
    if (url !== null) return url;
    if (status === 'failed') throw new Error(error?.message);
    await sleep(200);
  }
}

/** @returns seconds */
async function exportRows(stack: BenchStack, recordType: string, format: Format): Promise<number> {
  const began = performance.now();
  await exportTo(stack, recordType, format);
  return (performance.now() - began) / 1_000;
}

const clientOf = ({ facts }: BenchStack) =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: facts.aws.dynamodb, region, credentials }));

/** One page of the index after the other, and its records, as every list reads them. */
async function bareQueryRate(stack: BenchStack): Promise<number> {
  const client = clientOf(stack);
  const { table } = stack.facts;
  const began = performance.now();
  let count = 0;
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: 'GSI1',
        KeyConditionExpression: 'PK1 = :partition',
        ExpressionAttributeValues: { ':partition': 'T#user:bare#RECORDS' },
        Limit: 100,
        ...(ExclusiveStartKey && { ExclusiveStartKey }),
      }),
    );
    const Keys = (page.Items ?? []).map(({ PK, SK }) => ({ PK, SK }));
    if (Keys.length > 0)
      await client.send(new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }));
    count += Keys.length;
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  client.destroy();
  return count / ((performance.now() - began) / 1_000);
}

/** 25 records in a request, six requests at once. */
async function bareRate(stack: BenchStack, count: number): Promise<number> {
  const client = clientOf(stack);
  let left = count;
  const send = async () => {
    while (left > 0) {
      left -= 25;
      const Items = Array.from({ length: 25 }, (_, n) => ({ PutRequest: { Item: bareRecord(left + n) } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [stack.facts.table]: Items } }));
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: 6 }, send));
  client.destroy();
  return count / ((performance.now() - began) / 1_000);
}

function bareRecord(n: number) {
  const id = newId('record');
  const at = new Date().toISOString();
  const name = `bare ${n}`;
  const { name: _, ...metadata } = rowOf(n);
  return {
    PK: `T#user:bare#RECORD#${id}`,
    SK: 'RECORD',
    PK1: 'T#user:bare#RECORDS',
    SK1: id,
    PK2: 'T#user:bare#RECORDS#bare',
    SK2: id,
    ...{ _type: 'record', id, userId: 'bare', organizationId: null, messages: 'null', revision: 1 },
    metadata: JSON.stringify(metadata),
    importId: newId('import'),
    summary: { type: 'bare', name, search: name },
    createdAt: at,
    updatedAt: at,
  };
}

/** Of the stack's processes without the engine, whose memory is a cache of the disk. */
function residentBytes(): Record<'all' | 'service' | 'queues' | 'engine', number> {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(all.map((pid) => [pid, read(pid, 'stat').split(') ').at(-1)?.split(' ')[1]]));
  const isOurs = (pid: string | undefined): boolean =>
    pid !== undefined && (parents.get(pid) === String(process.pid) || isOurs(parents.get(pid)));
  const bytesOf = (word: string) =>
    all
      .filter((pid) => isOurs(pid) && read(pid, 'cmdline').includes(word))
      .reduce((sum, pid) => sum + 4_096 * Number(read(pid, 'statm').split(' ')[1] ?? 0), 0);
  const engine = bytesOf('dynoxide');
  return {
    all: bytesOf('') - engine,
    service: bytesOf('local/main.ts'),
    queues: bytesOf('queue-server'),
    engine,
  };
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function watchMemory() {
  let peak = residentBytes();
  const look = () => {
    const now = residentBytes();
    if (now.all > peak.all) peak = now;
  };
  const timer = setInterval(look, 1_000);
  return {
    stop() {
      clearInterval(timer);
      look();
      return peak;
    },
  };
}
