import { beforeAll, expect, test } from 'vitest';
import { type Airport, airportsInFile, airportType, uploadAirports } from '../../support/data/airports.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';
import { isSlow } from '../../support/suite/slow.ts';

/** A filter, and the same said plainly of a row of the file. */
type Filter = [where: object | undefined, means: (airport: Airport) => boolean];

const filters: Filter[] = [
  [undefined, () => true],
  [{ field: 'state', op: 'eq', value: 'AK' }, ({ state }) => state === 'AK'],
  [{ field: 'state', op: 'in', value: ['CA', 'NV', 'OR'] }, ({ state }) => /^(CA|NV|OR)$/.test(state)],
  [{ field: 'latitude', op: 'gte', value: 60 }, ({ latitude }) => Number(latitude) >= 60],
  [
    { field: 'longitude', op: 'between', value: [-100, -90] },
    ({ longitude }) => Number(longitude) >= -100 && Number(longitude) <= -90,
  ],
  [{ field: 'metadata.name', op: 'contains', value: 'MUNI' }, (airport) => /muni/i.test(airport.name)],
  [{ field: 'name', op: 'startsWith', value: 'k' }, ({ iata }) => /^k/i.test(iata)],
  [
    {
      op: 'or',
      conditions: [
        { field: 'city', op: 'eq', value: 'Springfield' },
        {
          op: 'and',
          conditions: [
            { field: 'state', op: 'eq', value: 'TX' },
            { field: 'metadata.name', op: 'endsWith', value: ' intl' },
          ],
        },
      ],
    },
    ({ city, state, name }) => city === 'Springfield' || (state === 'TX' && / intl$/i.test(name)),
  ],
  [
    {
      op: 'and',
      conditions: [
        { field: 'country', op: 'neq', value: 'USA' },
        { field: 'country', op: 'isSet' },
      ],
    },
    ({ country }) => country !== 'USA' && country.trim() !== '',
  ],
  [{ field: 'city', op: 'eq', value: 'Atlantis' }, () => false],
];

let tenant: Tenant;
let airports: Airport[];

beforeAll(async () => {
  [tenant, airports] = await Promise.all([newTenant(), airportsInFile()]);
  await uploadAirports(tenant);
}, 60_000);

const queryOf = (filter: object, rest: Record<string, string> = {}) =>
  new URLSearchParams({ recordFilter: JSON.stringify(filter), ...rest });

/** The names on all pages of the list. */
async function listed(filter: object): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = queryOf(filter, { limit: '100', ...(cursor && { cursor }) });
    const { body } = await tenant.call('GET', `/v1/records?${query}`);
    names.push(...body.data.map(({ name }: { name: string }) => name));
    cursor = body.pagination.nextCursor;
  }
  return names;
}

/** The names in the export: its first column, which holds nothing that would be quoted or escaped here. */
async function exported(filter: object): Promise<string[]> {
  const { status, body } = await tenant.call('GET', `/v1/records/export?${queryOf(filter)}`);
  if (status === 204) return [];
  const [header, ...lines] = body.trimEnd().split('\r\n');
  expect(header).toMatch(/^name,type,/);
  return lines.map((line: string) => line.split(',')[0]);
}

test('the file contains values that distinguish the filters from each other', () => {
  const counts = filters.map(([, means]) => airports.filter(means).length);
  expect(airports).toHaveLength(3_376);
  expect(new Set(counts).size).toBe(filters.length);
});

const whereOf = (where: object | undefined) => ({ type: airportType, ...(where && { where }) });

test.each(filters)('the preview of %j counts as many airports as the file has', async (where, means) => {
  const preview = await tenant.call('POST', '/v1/records/preview-filter', { body: whereOf(where) });
  const matchedCount = airports.filter(means).length;
  expect(preview).toMatchObject({ status: 200, body: { matchedCount, truncated: false } });
});

/** One that matches all, one of several conditions, and one that matches none; the slow tests read all to the end. */
const readToTheEnd = isSlow ? filters : filters.filter((_, index) => [0, 7, 9].includes(index));

test.each(readToTheEnd)('list and export of %j return the airports of the file', async (where, means) => {
  const wanted = airports.filter(means).map(({ iata }) => iata);
  const [inList, inExport] = await Promise.all([listed(whereOf(where)), exported(whereOf(where))]);
  expect(inList.toSorted()).toEqual(wanted.toSorted());
  expect(inExport.toSorted()).toEqual(wanted.toSorted());
});

const west = ['CA', 'OR', 'WA'];

test('the airports of three states are edited after a dry run, and the fields of all are discovered', async () => {
  const { call } = tenant;
  const valuesOf = async (field: string) =>
    (await call('GET', `/v1/records/field-values?type=${airportType}&field=${field}&limit=500`)).body;
  const inWest = airports.filter(({ state }) => west.includes(state));
  expect(inWest.length).toBeGreaterThan(300);

  const edit = {
    recordFilter: { type: airportType, where: { field: 'state', op: 'in', value: west } },
    updates: { region: 'Pacific' },
    deleteFields: ['country'],
  };
  const send = (body: object) => call('POST', '/v1/records/bulk-edit', { body });
  const dry = await send({ ...edit, dryRun: true });
  expect(dry.status).toBe(200);
  expect(dry.body.recordIds).toHaveLength(inWest.length);
  expect(dry.body.data[0].after).toEqual({
    ...dry.body.data[0].before,
    region: 'Pacific',
    country: undefined,
  });
  expect((await valuesOf('region')).values).toEqual([]);

  const real = await send(edit);
  expect(real).toMatchObject({ status: 200, body: dry.body });
  expect(await valuesOf('region')).toEqual({
    type: airportType,
    field: 'region',
    truncated: false,
    values: [{ value: 'Pacific', count: inWest.length }],
  });
  const abroad = Map.groupBy(
    airports.filter(({ state }) => !west.includes(state)),
    ({ country }) => country,
  );
  expect(byValue((await valuesOf('country')).values)).toEqual(countsOf(abroad));

  const states = Map.groupBy(airports, ({ state }) => state);
  const { values, truncated } = await valuesOf('state');
  expect(truncated).toBe(false);
  expect(byValue(values)).toEqual(countsOf(states));
  const counts = values.map(({ count }: { count: number }) => count);
  expect(counts).toEqual(counts.toSorted((one: number, other: number) => other - one));

  const { body } = await call('GET', `/v1/records/schema?type=${airportType}&sample=1000`);
  expect(body).toMatchObject({ sampledRecords: 1_000, totalRecords: airports.length });
  const types = Object.fromEntries(
    body.fields.map(({ name, types }: { name: string; types: string[] }) => [name, types[0]]),
  );
  expect(types).toEqual({
    'metadata.name': 'string',
    city: 'string',
    state: 'string',
    country: 'string',
    region: 'string',
    latitude: 'number',
    longitude: 'number',
  });
});

type Counted = { value: string; count: number };
const byValue = (values: Counted[]) => Object.fromEntries(values.map(({ value, count }) => [value, count]));
const countsOf = (groups: Map<string, unknown[]>) =>
  Object.fromEntries([...groups].flatMap(([value, { length }]) => (value.trim() ? [[value, length]] : [])));
