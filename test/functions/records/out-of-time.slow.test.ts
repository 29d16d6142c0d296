import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bulkDeleteRecords } from '../../../functions/records/bulk-delete.ts';
import { bulkEditRecords } from '../../../functions/records/bulk-edit.ts';
import { uploadCsv } from '../../../functions/records/upload-csv.ts';
import { newId } from '../../../shared/core/ids.ts';
import { resolveNeeds, type Scope } from '../../../shared/platform/data/scope.ts';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';
import { brokenTable, type Interference, outage } from '../../support/data/broken-table.ts';
import { throttlingIndexes } from '../../support/data/index-throttle.ts';
import { withRecords } from '../../support/data/records.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

/** A request to an endpoint of a tenant, on a table with something in between. */
const callOn = ({ tenant, userId, organizationId }: Tenant, interference: Interference = {}) => {
  const scope: Scope = { table: brokenTable(tenant, interference), now: () => new Date(), newId };
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  return async (endpoint: AnyEndpoint, body: unknown, timeMs = 29_000): Promise<any> => {
    const end = Date.now() + timeMs;
    const principal = { userId, organizationId };
    const request = { body, principal, timeLeftMs: () => end - Date.now() };
    const answer = await endpoint.handle(request, resolveNeeds(endpoint.needs, scope));
    expect(Date.now()).toBeLessThan(end);
    return answer;
  };
};

/** A table that takes a while for each write. */
const slow = (ms: number): Interference => ({
  before: async (command) => {
    if (/^(TransactWrite|Update)/.test(command)) await sleep(ms);
  },
});

/** A table that stops answering writes after the first ones. */
function hanging(after: number): Interference {
  let writes = 0;
  return {
    before: async (command) => {
      if (/^(TransactWrite|Update)/.test(command) && ++writes > after) await new Promise(() => {});
    },
  };
}

/** A table that is out of order for writes after the first ones. */
function failing(after: number): Interference {
  let writes = 0;
  return {
    before: (command) => {
      if (/^(TransactWrite|Update)/.test(command) && ++writes > after) throw outage();
    },
  };
}

const namesOf = (count: number) => Array.from({ length: count }, (_, n) => `row ${n}`);
const fileOf = (names: readonly string[]) => ({
  file: new File([`name,n\n${names.map((name, n) => `${name},${n}\n`).join('')}`], 'rows.csv'),
  typeValue: 'row',
});

async function stored({ call }: Tenant): Promise<string[]> {
  const names: string[] = [];
  for (let cursor = ''; ; ) {
    const { data, pagination } = (await call('GET', `/v1/records?limit=100${cursor}`)).body;
    names.push(...data.map(({ name }: { name: string }) => name));
    if (!pagination.nextCursor) return names;
    cursor = `&cursor=${pagination.nextCursor}`;
  }
}

test.concurrent('a slow upload answers in time, and continues where it stopped until every row is a record', async () => {
  const tenant = await newTenant();
  const names = namesOf(3_000);
  const body = fileOf([...names.slice(0, 100), names[7] ?? '', ...names.slice(100)]);
  const upload = callOn(tenant, slow(700));
  const answers = [await upload(uploadCsv, body, 8_000)];
  for (let last = answers[0]; last.nextLine; last = answers.at(-1)) {
    expect(last.errorDetails.at(-1)).toBe(
      `Line ${last.nextLine}: the time limit was reached before this row; upload the file again with fromLine=${last.nextLine}`,
    );
    answers.push(await upload(uploadCsv, { ...body, fromLine: last.nextLine }, 8_000));
  }
  expect(answers.length).toBeGreaterThan(1);
  expect(answers.reduce((sum, { created }) => sum + created, 0)).toBe(3_000);
  const failed = answers.flatMap(({ errorDetails }) =>
    errorDetails.filter((text: string) => !/time limit/.test(text)),
  );
  expect(failed).toEqual(['Line 102: the same type and name as in line 9']);
  expect((await stored(tenant)).toSorted()).toEqual(names.toSorted());
}, 60_000);

test.concurrent.each([
  ['does not answer', hanging],
  ['fails', failing],
])(
  'an upload answers in time if DynamoDB %s, and the same file completes it',
  async (_what, broken) => {
    const tenant = await newTenant();
    const names = namesOf(1_000);
    const first = await callOn(tenant, broken(5))(uploadCsv, fileOf(names), 7_500);
    expect(first).toMatchObject({ success: true, nextLine: expect.any(Number) });
    expect(first.created).toBeLessThanOrEqual(250);
    const rest = await callOn(tenant)(uploadCsv, { ...fileOf(names), fromLine: first.nextLine });
    expect(rest).not.toHaveProperty('nextLine');
    expect(first.created + rest.created).toBe(1_000);
    expect((await stored(tenant)).toSorted()).toEqual(names.toSorted());
  },
  60_000,
);

test('10,000 rows are complete after one request although their index partitions take 1,000 units a second', async () => {
  const tenant = await newTenant();
  // On a slow machine the rows alone may not exceed the limit.
  const { before, seen } = throttlingIndexes(500);
  const answer = await callOn(tenant, { before })(uploadCsv, fileOf(namesOf(10_000)));
  expect(answer).toMatchObject({ success: true, created: 10_000, errors: 0 });
  expect(answer).not.toHaveProperty('nextLine');
  expect(seen.refused).toBeGreaterThan(0);
}, 60_000);

test.concurrent('five uploads at once whose partitions are busy for a while end without an error, and complete when continued', async () => {
  const tenant = await newTenant();
  const upload = callOn(tenant, throttlingIndexes(12_000));
  const parts = Array.from({ length: 5 }, (_, part) => namesOf(1_000).map((name) => `${part} ${name}`));
  const answers = parts.map(async (names) => {
    const body = fileOf(names);
    let calls = 0;
    for (let fromLine = 0; fromLine !== undefined; calls++) {
      ({ nextLine: fromLine } = await upload(uploadCsv, { ...body, fromLine }, 8_000));
    }
    return calls;
  });
  expect(Math.min(...(await Promise.all(answers)))).toBeGreaterThan(1);
  expect((await stored(tenant)).toSorted()).toEqual(parts.flat().toSorted());
}, 60_000);

/** Records of which five are written in one transaction. */
const drafts = (count: number) =>
  namesOf(count).map((name) => ({ type: 'a', name, metadata: { n: 1, text: 'x'.repeat(12_000) } }));

test.concurrent.each([
  ['is slow', () => slow(6_000)],
  ['does not answer', () => hanging(20)],
  ['fails', () => failing(20)],
])(
  'a bulk edit is a 503 in time if DynamoDB %s, and the same request completes it',
  async (_what, broken) => {
    const tenant = await withRecords(drafts(300));
    const body = bulkEditRecords.body.parse({ recordFilter: { type: 'a' }, updates: { n: 2 } });
    const error = await callOn(tenant, broken())(bulkEditRecords, body, 20_000).catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: 'OUT_OF_TIME',
      message: expect.stringMatching(/: \d+ of 300 records are done\. Send the call again for the rest$/),
    });
    const done = Number(/(\d+) of/.exec(error.message)?.[1]);
    expect(done).toBeGreaterThan(0);
    const writes = { sent: 0 };
    const before = (command: string) => {
      if (/^(TransactWrite|Update)/.test(command)) writes.sent++;
    };
    const { recordIds } = await callOn(tenant, { before })(bulkEditRecords, body);
    expect(recordIds).toHaveLength(300);
    expect(writes.sent).toBeLessThanOrEqual((300 - done) / 5);
  },
  60_000,
);

test.concurrent.each([
  ['is slow', () => slow(2_400)],
  ['does not answer', () => hanging(20)],
  ['fails', () => failing(20)],
])(
  'a bulk deletion lists the remaining ids in time if DynamoDB %s',
  async (_what, broken) => {
    const tenant = await withRecords(drafts(100));
    const ids = (await tenant.call('GET', '/v1/records?limit=100')).body.data.map(
      ({ id }: { id: string }) => id,
    );
    const first = await callOn(tenant, broken())(bulkDeleteRecords, { ids }, 12_000);
    expect(first).toMatchObject({ success: false, deleted: first.deletedIds.length, notFoundIds: [] });
    expect(first.deleted).toBeGreaterThan(0);
    expect([...first.deletedIds, ...first.remainingIds].toSorted()).toEqual(ids.toSorted());
    const rest = await callOn(tenant)(bulkDeleteRecords, { ids: first.remainingIds });
    expect(rest).toMatchObject({ success: true, deletedIds: first.remainingIds });
    expect(await stored(tenant)).toEqual([]);
  },
  60_000,
);
