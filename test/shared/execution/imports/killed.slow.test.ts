import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { killAll, killTree, newDirectory, start } from '../../../support/stack/processes.ts';
import type { callerWith } from '../../../support/stack/stack.ts';

afterEach(killAll);

const rows = 8_000;
const file = (names: (row: number) => string) =>
  `name,n\n${Array.from({ length: rows }, (_, n) => `${names(n)},${n}`).join('\n')}\n`;

type Caller = ReturnType<typeof callerWith>;

/** Calls a stack at another address. */
function callerAt(url: string, key: string): Caller {
  return async (method, path, { body } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
}

/** Imports a file on a stack whose processes are killed three times meanwhile. @returns what became of it */
async function importKilled(settings: object, text: string) {
  const directory = newDirectory();
  const environment = { DATA_DIR: directory, RATE_LIMIT_PER_HOUR: '1000000', RATE_LIMIT_PER_DAY: '1000000' };
  let { child, facts } = await start(environment);
  let ask = callerAt(facts.url, facts.liveKey);
  const source = { upload: { fileName: 'rows.csv' } };
  const created = await ask('POST', '/v1/imports', { body: { source, type: 'place', ...settings } });
  await fetch(created.body.upload.url, { method: 'PUT', body: text });
  const { id } = created.body;
  const status = async () => (await ask('GET', `/v1/imports/${id}`)).body;
  await ask('POST', `/v1/imports/${id}/start`, { body: {} });
  for (const share of [0.1, 0.4, 0.7]) {
    while ((await status()).rows.read < share * rows && (await status()).status !== 'completed')
      await sleep(20);
    killTree(child);
    ({ child, facts } = await start(environment));
    ask = callerAt(facts.url, facts.liveKey);
  }
  while (['queued', 'running'].includes((await status()).status)) await sleep(200);
  const found = new Map<string, number>();
  for (let cursor = ''; ; ) {
    const { body } = await ask('GET', `/v1/records?type=place&limit=100${cursor}`);
    for (const { name, metadata } of body.data) found.set(name, metadata.n);
    if (!body.pagination.hasMore) break;
    cursor = `&cursor=${body.pagination.nextCursor}`;
  }
  const body = await status();
  killTree(child);
  rmSync(directory, { recursive: true, force: true });
  return { body, found };
}

test('an import that is killed three times creates every record once, and counts each row once', async () => {
  const { body, found } = await importKilled(
    {},
    file((row) => `row ${row}`),
  );
  expect(body).toMatchObject({
    status: 'completed',
    rows: { read: rows, created: rows, updated: 0, unchanged: 0, failed: 0 },
  });
  expect(found.size).toBe(rows);
  expect([...found].every(([name, n]) => name === `row ${n}`)).toBe(true);
}, 240_000);

test('an upsert that is killed three times counts each row as what it did, and the last of equal keys wins', async () => {
  const distinct = 5_000;
  const { body, found } = await importKilled(
    { mode: 'upsert' },
    file((row) => `row ${row % distinct}`),
  );
  expect(body).toMatchObject({
    status: 'completed',
    rows: { read: rows, created: distinct, updated: rows - distinct, unchanged: 0, failed: 0 },
  });
  expect(found.size).toBe(distinct);
  const expected = new Map(Array.from({ length: rows }, (_, n) => [`row ${n % distinct}`, n]));
  const digest = (map: Map<string, number>) =>
    createHash('sha256')
      .update(JSON.stringify([...map].sort()))
      .digest('hex');
  expect(digest(found)).toBe(digest(expected));
}, 240_000);
