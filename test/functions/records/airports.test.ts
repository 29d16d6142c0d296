import { beforeAll, expect, test } from 'vitest';
import { type Airport, airportsInFile, airportType, uploadAirports } from '../../support/airports.ts';
import { newTenant, type Tenant } from '../../support/stack.ts';

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

test.each(filters)(
  'preview, list and export of %j return as many airports as the file has',
  async (where, means) => {
    const wanted = airports.filter(means).map(({ iata }) => iata);
    const filter = { type: airportType, ...(where && { where }) };
    const [preview, inList, inExport] = await Promise.all([
      tenant.call('POST', '/v1/records/preview-filter', { body: filter }),
      listed(filter),
      exported(filter),
    ]);
    expect(preview).toMatchObject({ status: 200, body: { matchedCount: wanted.length, truncated: false } });
    expect(inList.toSorted()).toEqual(wanted.toSorted());
    expect(inExport.toSorted()).toEqual(wanted.toSorted());
  },
);
