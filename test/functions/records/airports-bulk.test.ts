import { expect, test } from 'vitest';
import { airportsInFile, airportType as type, uploadAirports } from '../../support/airports.ts';
import { newTenant } from '../../support/stack.ts';

const west = ['CA', 'OR', 'WA'];

test('all airports are uploaded, those of three states are edited after a dry run, and their fields are discovered', async () => {
  const [{ call }, airports] = await Promise.all([newTenant(), airportsInFile()]);
  await uploadAirports({ call } as Awaited<ReturnType<typeof newTenant>>);
  const valuesOf = async (field: string) =>
    (await call('GET', `/v1/records/field-values?type=${type}&field=${field}&limit=500`)).body;
  const inWest = airports.filter(({ state }) => west.includes(state));
  expect(inWest.length).toBeGreaterThan(300);

  const edit = {
    recordFilter: { type, where: { field: 'state', op: 'in', value: west } },
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
    type,
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

  const { body } = await call('GET', `/v1/records/schema?type=${type}&sample=1000`);
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
