import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { costsDocument } from '../../bench/costs/document.ts';
import { emptySweep, type IdleItem, idleItems, pollsPerQueueMonth } from '../../bench/costs/idle.ts';
import type { Units } from '../../bench/costs/units.ts';
import { prices, type ResourceUse } from '../../bench/measure/prices.ts';
import { type EnvironmentName, environments } from '../../infra/environments.ts';
import { queues } from '../../infra/resources.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const units: Units = JSON.parse(read('bench/costs/units.json'));

/** The units of an access pattern, which a test of the data layer measures. */
function unitsOf(pattern: string): number {
  const row = read('docs/access-patterns.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${pattern} |`));
  if (!row) throw new Error(`docs/access-patterns.md has no pattern ${pattern}`);
  return Number(row.split('|').at(-2));
}
const total = ({ writeUnits, readUnits }: ResourceUse) => writeUnits + readUnits;

test('docs/costs.md is what npm run costs writes from the committed units', () => {
  expect(read('docs/costs.md')).toBe(costsDocument(units));
}, 120_000);

const counted = 'Count a key’s request';
test.each([
  ['read', [counted, 'Get a flow']],
  ['write', [counted, 'Create a record']],
  ['list', [counted, 'List records']],
  [
    'dispatch',
    [
      counted,
      'Take a place of the tenant, and give it back',
      'Models of a run',
      'List a run from its start',
      'End a run that is not stored',
    ],
  ],
] as const)('the measured units of the request "%s" are those of its access patterns', (name, patterns) => {
  // The release of the place is in the transaction that ends the run, where it takes two.
  const more = name === 'dispatch' ? 1 : 0;
  const expected = patterns.map(unitsOf).reduce((sum, value) => sum + value, more);
  // The first request in the window of a rate limit costs more.
  expect(Math.abs(total(units.requests[name]) / expected - 1)).toBeLessThan(0.02);
});

test('the measured units of a record are between those of one record alone and of ten together', () => {
  const [alone, five] = [unitsOf('Run one record'), unitsOf('Run five records')];
  // Of the five, each after the first adds the same; the status that the measurement reads costs about 1 more.
  const ten = (five + ((five - alone) / 4) * 5) / 10;
  expect(total(units.records.local)).toBeGreaterThan(ten);
  expect(total(units.records.local)).toBeLessThan(alone + 1);
});

test('a call to a model adds the units of storing its result, within 15 %', () => {
  const added = total(units.records.model) - total(units.records.local);
  // The checkpoint and its index entry (3) are those of the run's end. Records that end together share the two writes that
  // count the day's usage (4), and those that start together the read of the models: about 1 for each record.
  const expected = unitsOf('Store the result of a model call') - 3 - 4 + 1;
  expect(Math.abs(added / expected - 1)).toBeLessThan(0.15);
});

test('the measured units of a row are those of its record, of which a chunk adds hardly anything', () => {
  const { created, updated, unchanged, exported } = units.rows;
  const create = unitsOf('Create a record');
  expect(created.writeUnits).toBeGreaterThanOrEqual(create);
  expect(created.writeUnits).toBeLessThan(create * 1.02);
  // One transaction for 50 records, and three writes a chunk.
  expect(created.writeRequests).toBeLessThan(0.03);
  // The guard of the name and the record; a group of 32 moves the progress.
  for (const { readUnits } of [updated, unchanged]) expect(readUnits).toBeCloseTo(2, 1);
  expect(updated.writeUnits - unchanged.writeUnits).toBeCloseTo(2, 1);
  expect(unchanged.writeUnits).toBeLessThan(0.25);
  expect(exported.readUnits).toBeCloseTo(1, 1);
});

test('a sweep that finds nothing reads the three lists of what to check', () => {
  const lists = ['Batches to check', 'Abandoned dispatched runs', 'Deletions to clean up after'];
  expect(emptySweep.readUnits).toBe(lists.map(unitsOf).reduce((sum, value) => sum + value));
});

let idle: Record<EnvironmentName, Record<string, IdleItem>>;
beforeAll(() => {
  const byName = (env: string) =>
    Object.fromEntries(idleItems(env as EnvironmentName).map((item) => [item.what, item]));
  idle = Object.fromEntries(Object.keys(environments).map((env) => [env, byName(env)])) as typeof idle;
}, 120_000);

test('pollers of each queue and each dead-letter queue are counted, by the price of their kind', () => {
  const [fifo, standard] = [true, false].map(
    (isFifo) => 2 * Object.values(queues).filter((queue) => queue.fifo === isFifo).length,
  ) as [number, number];
  const million = pollsPerQueueMonth / 1_000_000;
  const { count, usd } = idle.prod['SQS requests of pollers (million)'] as IdleItem;
  expect(count).toBeCloseTo((fifo + standard) * million);
  expect(usd).toBeCloseTo(
    million * (fifo * prices.sqsFifoMillionRequests + standard * prices.sqsMillionRequests),
  );
});

test('an environment pays only for what its template has', () => {
  const countsOf = (what: string) => Object.values(idle).map((items) => items[what]?.count);
  expect(countsOf('Web ACLs')).toEqual([0, 0, 1]);
  expect(countsOf('Dashboards')).toEqual([0, 1, 1]);
  expect(countsOf('KMS keys')).toEqual([1, 1, 1]);
  expect(countsOf('Runs of timers')).toEqual([230_680, 230_680, 230_680]);
  expect(idle.dev['Traces of timers']?.usd).toBeCloseTo((230_680 * prices.xRayMillionTraces) / 1_000_000);
});
