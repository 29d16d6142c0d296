import { readdirSync, readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import { credentials, region } from '../../infra/local/runtime/account.ts';
import { newId } from '../../shared/core/ids.ts';
import { type Figure, printProgress, round } from '../measure/figure.ts';
import { type BenchStack, startBenchStack } from '../measure/stack.ts';

const rows = Number(process.env.BENCH_ROWS ?? 100_000);
const bareRows = 10_000;

/** How fast a CSV file becomes records, beside bare writes of records through the same address before and after it. */
export async function measureJobs(): Promise<Figure[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-jobs-'));
  await using stack = await startBenchStack({ dataDir: directory.path });
  await importRows(stack, 1_000, 'warm-up');
  await bareRate(stack, 1_000);
  const before = await bareRate(stack, bareRows);
  const idle = residentBytes();
  const memory = watchMemory();
  printProgress(`data: importing ${rows} rows`);
  const seconds = await importRows(stack, rows, 'measured');
  const peak = memory.stop();
  const after = await bareRate(stack, bareRows);
  const exporting = await exportRows(stack, 'measured');
  const query = await bareQueryRate(stack);
  const rate = rows / seconds;
  const bare = Math.min(before, after);
  return [
    {
      figure: 'data',
      what: `rows per second of an import of ${rows} rows, as a share of bare BatchWriteItem`,
      value: round(rate / bare),
      unit: 'of the bare limit',
      goal: { atLeast: 0.6 },
      details: { rowsPerSecond: round(rate, 0), bare: [before, after].map((each) => round(each, 0)) },
    },
    {
      figure: 'data',
      what: `rows per second of an export of ${rows} records as CSV, as a share of bare Queries of the index and reads of its records`,
      value: round(rows / exporting / query),
      unit: 'of the bare limit',
      goal: { atLeast: 0.6 },
      details: { rowsPerSecond: round(rows / exporting, 0), bare: round(query, 0) },
    },
    {
      figure: 'data',
      what: `memory of all processes at an import of ${rows} rows, above idle, without the engine`,
      value: round((peak.all - idle.all) / 1_000_000, 0),
      unit: 'MB',
      goal: { atMost: 150 },
      details: {
        idle: toMegabytes(idle),
        peak: toMegabytes(peak),
        bytesOfFile: csvOf(rows, 'x').length,
      },
    },
  ];
}

const toMegabytes = (bytes: Record<string, number>) =>
  Object.fromEntries(Object.entries(bytes).map(([name, each]) => [name, round(each / 1_000_000, 0)]));

async function exportRows({ api }: BenchStack, recordType: string): Promise<number> {
  const began = performance.now();
  const { id } = await api.call('exports.create', {
    body: { what: 'records', filter: { recordType }, format: 'csv' },
  });
  for (;;) {
    await sleep(200);
    const { status, error } = await api.call('exports.get', { params: { id } });
    if (status === 'completed') return (performance.now() - began) / 1_000;
    if (status === 'failed') throw new Error(error?.message);
  }
}

/** One page of the index after the other, and its records, as every list reads them. */
async function bareQueryRate({ facts }: BenchStack): Promise<number> {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: facts.aws.dynamodb, region, credentials }),
  );
  const began = performance.now();
  let count = 0;
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: facts.table,
        IndexName: 'GSI1',
        KeyConditionExpression: 'PK1 = :partition',
        ExpressionAttributeValues: { ':partition': 'T#user:bare#RECORDS' },
        Limit: 100,
        ...(ExclusiveStartKey && { ExclusiveStartKey }),
      }),
    );
    const Keys = (page.Items ?? []).map(({ PK, SK }) => ({ PK, SK }));
    if (Keys.length > 0)
      await client.send(
        new BatchGetCommand({ RequestItems: { [facts.table]: { Keys, ConsistentRead: true } } }),
      );
    count += Keys.length;
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  client.destroy();
  return count / ((performance.now() - began) / 1_000);
}

const csvOf = (count: number, name: string) =>
  `name,city,zip,population,note\n${Array.from({ length: count }, (_, n) => `${name} ${n},Oslo,0150,${n},a text of some words that says little about row ${n}`).join('\n')}\n`;

async function importRows({ api, facts }: BenchStack, count: number, name: string): Promise<number> {
  const body = { source: { upload: { fileName: 'rows.csv' } }, type: name };
  const created = await api.call('imports.create', { body });
  await fetch(created.upload?.url ?? '', { method: 'PUT', body: csvOf(count, name) });
  const began = performance.now();
  await api.call('imports.start', { params: { id: created.id }, body: {} });
  for (;;) {
    await sleep(200);
    const { status, rows: counts, error } = await api.call('imports.get', { params: { id: created.id } });
    if (status === 'completed' && counts.created === count) return (performance.now() - began) / 1_000;
    if (status !== 'running' && status !== 'queued')
      throw new Error(`The import is ${status} at ${facts.url}: ${JSON.stringify({ counts, error })}`);
  }
}

/** 25 records in a request, six requests at once. */
async function bareRate({ facts }: BenchStack, count: number): Promise<number> {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: facts.aws.dynamodb, region, credentials }),
  );
  let left = count;
  const send = async () => {
    while (left > 0) {
      left -= 25;
      const Items = Array.from({ length: 25 }, (_, n) => ({ PutRequest: { Item: bareRecord(left + n) } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [facts.table]: Items } }));
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
  return {
    PK: `T#user:bare#RECORD#${id}`,
    SK: 'RECORD',
    PK1: 'T#user:bare#RECORDS',
    SK1: id,
    PK2: 'T#user:bare#RECORDS#bare',
    SK2: id,
    ...{ _type: 'record', id, userId: 'bare', organizationId: null, messages: 'null', revision: 1 },
    metadata: JSON.stringify({
      city: 'Oslo',
      zip: '0150',
      population: n,
      note: `a text of some words that says little about row ${n}`,
    }),
    importId: newId('import'),
    summary: { type: 'bare', name, search: name },
    createdAt: at,
    updatedAt: at,
  };
}

/** Of the stack's processes without the engine, whose memory is a cache of the disk. */
function residentBytes(): Record<'all' | 'service' | 'queues', number> {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(all.map((pid) => [pid, read(pid, 'stat').split(') ').at(-1)?.split(' ')[1]]));
  const isOurs = (pid: string | undefined): boolean =>
    pid !== undefined && (parents.get(pid) === String(process.pid) || isOurs(parents.get(pid)));
  const bytesOf = (word: string) =>
    all
      .filter((pid) => isOurs(pid) && read(pid, 'cmdline').includes(word))
      .reduce((sum, pid) => sum + 4_096 * Number(read(pid, 'statm').split(' ')[1] ?? 0), 0);
  return {
    all: bytesOf('') - bytesOf('dynoxide'),
    service: bytesOf('local/main.ts'),
    queues: bytesOf('queue-server'),
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
