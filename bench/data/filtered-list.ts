import { newId } from '../../shared/core/ids.ts';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import { documentClient } from '../../shared/platform/data/client.ts';
import { tenantTable } from '../../shared/platform/data/table.ts';
import { useTable } from '../http/warm-get.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { startRecording, stopRecording } from '../measure/recorder.ts';
import { startBenchStack } from '../measure/stack.ts';

const owner = { userId: 'bench', organizationId: null };
const wanted = 200;
const limit = 50;
const others = [1_000, 10_000, 50_000];
const readings = 3;

/** (k) The cost of a page of one type, filtered by metadata, as the number of other records grows; and of a filter over them. */
export async function measureFilteredList(): Promise<Figure[]> {
  printProgress(`k: a filtered list beside ${others.join(', ')} records of other types`);
  await using stack = await startBenchStack();
  useTable(stack.facts.aws.dynamodb, stack.facts.table);
  const table = tenantTable(documentClient(), stack.facts.table, 'user:bench');
  const records = recordStore({ table, now: () => new Date(), newId });
  await records.createMany(owner, draftsOf('wanted', wanted, 'first'));

  const pages: object[] = [];
  const units: number[] = [];
  for (const count of others) {
    const missing = count - (others[pages.length - 1] ?? 0);
    await records.createMany(owner, draftsOf('other', missing, `to ${count}`));
    startRecording({ capacity: true });
    const began = performance.now();
    const page = await records.list(
      { recordFilter: { type: 'wanted', where: { field: 'n', op: 'lt', value: wanted / 2 } } },
      { limit },
    );
    const milliseconds = round(performance.now() - began, 1);
    const sent = stopRecording();
    if (page.records.length !== limit) throw new Error(`The page has ${page.records.length} records`);
    units.push(sent.reduce((sum, { capacityUnits }) => sum + capacityUnits, 0));
    pages.push({ otherRecords: count, readUnits: units.at(-1), requests: sent.length, milliseconds });
  }
  const cpuMs: number[] = [];
  for (let reading = 0; reading < readings; reading++) cpuMs.push(await filterCpuMs(records));
  return [
    {
      figure: 'k',
      what: `read units of a page of one type, filtered by metadata, beside ${others.at(-1)} records of other types against ${others[0]}`,
      value: round(Math.max(...units) / Math.min(...units)),
      unit: 'times',
      goal: { atMost: 1 },
      details: { recordsOfTheType: wanted, limit, pages },
    },
    {
      figure: 'k',
      what: 'CPU time of this process for each record that a filter of metadata reads and drops',
      value: Number(median(cpuMs).toFixed(4)),
      unit: 'ms',
      goal: { atMost: 0.02 },
      details: { records: others.at(-1), readings: cpuMs.map((ms) => Number(ms.toFixed(4))) },
    },
  ];
}

async function filterCpuMs(records: ReturnType<typeof recordStore>): Promise<number> {
  const before = process.cpuUsage();
  let read = 0;
  const none = { type: 'other', where: { field: 'n', op: 'lt', value: 0 } } as const;
  for await (const page of records.matching({ recordFilter: none })) read += page.units;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / read;
}

const draftsOf = (type: string, count: number, series: string) =>
  Array.from({ length: count }, (_, n) => ({
    type,
    name: `${series} ${n}`,
    metadata: { n, city: 'Springfield', note: 'x'.repeat(100) },
    messages: null,
  }));
