import { expect, test } from 'vitest';
import { recordTypes } from '../../../shared/domain/records/schema-discovery.ts';
import { newRecord, withRecords } from '../../support/data/records.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const typesOf = ({ call }: Pick<Tenant, 'call'>, cursor = '') =>
  expectStatus(200, call('GET', `/v1/records/types${cursor && `?cursor=${cursor}`}`));

const drafts = (types: readonly string[]) =>
  types.map((type, n) => ({ type, name: `record ${n}`, metadata: {} }));

test('lists the distinct types, that of the newest record first, with their numbers and newest records', async () => {
  const tenant = await newTenant();
  const made = [];
  for (const draft of drafts(['city', 'airport', 'city', 'a "b" / ü']))
    made.push(await newRecord(tenant, draft));
  expect(await typesOf(tenant)).toEqual({
    types: [
      ...[
        ['a "b" / ü', 1, made[3]] as const,
        ['city', 2, made[2]] as const,
        ['airport', 1, made[1]] as const,
      ].map(([type, count, newest]) => ({
        type,
        count,
        newestId: newest.id,
        newestAt: expect.stringMatching(/Z$/),
      })),
    ],
    recordsRead: 4,
    truncated: false,
    nextCursor: null,
  });
  await expectStatus(200, tenant.call('PUT', `/v1/records/${made[1]?.id}`, { body: { type: 'city' } }));
  expect((await typesOf(tenant)).types).toMatchObject([{ type: 'a "b" / ü' }, { type: 'city', count: 3 }]);
});

test('a tenant without records has no types, and sees none of others', async () => {
  await withRecords(drafts(['theirs']));
  expect(await typesOf(await newTenant())).toEqual({
    types: [],
    recordsRead: 0,
    truncated: false,
    nextCursor: null,
  });
});

test('pages read each record once, and say that there are more', async () => {
  const tenant = await withRecords(drafts(Array.from({ length: 1_500 }, (_, n) => (n < 10 ? 'old' : 'new'))));
  const { scopeOf, consumed } = countingRuntime();
  const from = recordTypes(scopeOf(tenant.tenant), 1_000);
  const first = await from(undefined, () => 29_000);
  expect(first).toMatchObject({ types: [{ type: 'new', count: 1_000 }], recordsRead: 1_000 });
  expect(consumed.commands).toEqual(['Query']);
  const second = await from(first.nextCursor ?? '', () => 29_000);
  expect(second).toMatchObject({
    types: [
      { type: 'new', count: 490 },
      { type: 'old', count: 10 },
    ],
    recordsRead: 500,
    nextCursor: null,
  });
  const { types } = await typesOf(tenant, first.nextCursor ?? '');
  expect(types).toEqual(second.types);
});

test('stops in time for a response', async () => {
  const tenant = await withRecords(drafts(Array.from({ length: 1_200 }, () => 'a')));
  const from = recordTypes(countingRuntime().scopeOf(tenant.tenant));
  expect(await from(undefined, () => 4_000)).toMatchObject({
    recordsRead: expect.any(Number),
    nextCursor: expect.any(String),
  });
});

test('400 for a malformed cursor', async () => {
  const { call } = await newTenant();
  const { details } = await expectStatus(400, call('GET', '/v1/records/types?cursor=x'));
  expect(details).toMatchObject([{ path: 'cursor', code: 'INVALID_FORMAT' }]);
});
