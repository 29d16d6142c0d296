import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { newId } from '../../../../shared/core/ids.ts';
import { defineEntity } from '../../../../shared/platform/data/entity.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import {
  inlineBytesMax,
  PayloadRef,
  payloadFolders,
  payloadRemover,
  payloadStore,
} from '../../../../shared/platform/data/payloads.ts';
import { payloadNames } from '../../../support/data/payload-bucket.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';
import { newTenantName } from './notes.ts';

const holderEntity = defineEntity({
  type: 'holder',
  schema: z.object({ id: z.string(), value: PayloadRef }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition('HOLDERS'), SK: id }),
});

function payloads() {
  const tenant = newTenantName();
  const scope = countingRuntime().scopeOf(tenant);
  const store = payloadStore(scope);
  const folders = payloadFolders(scope);
  const { table } = scope;
  /** A value as an item gives it back. */
  const roundTrip = async (value: unknown, inlineMax?: number) => {
    const id = newId('step');
    await table.commit([
      table.writes.put(holderEntity, { id, value: await store.offload(`a/${id}`, value, inlineMax) }),
    ]);
    const held = await table.get(holderEntity, { id }, { consistent: true });
    return held && store.fetch(held.value);
  };
  return { tenant, store, folders, roundTrip };
}

test('JSON round-trips unchanged, whether stored in the item or in the bucket', async () => {
  const { roundTrip } = payloads();
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), async (value, inItem) => {
      expect(JSON.stringify(await roundTrip(value, inItem ? undefined : 0))).toBe(JSON.stringify(value));
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('huge numbers and deep nesting, which DynamoDB cannot represent, round-trip', async () => {
  const { roundTrip } = payloads();
  const deep = Array.from({ length: 80 }).reduce((inner) => [inner], 1);
  expect(await roundTrip({ numbers: [1e300, -1e-300, 0.1], deep })).toEqual({
    numbers: [1e300, -1e-300, 0.1],
    deep,
  });
});

test('JSON over the size limit is offloaded to the bucket under the tenant’s prefix; smaller JSON stays in the item', async () => {
  const { tenant, store } = payloads();
  const quotes = 2;
  const most = 'é'.repeat((inlineBytesMax - quotes) / 2);
  expect(await store.offload('a/inline', most)).not.toHaveProperty('pointer');
  expect(await payloadNames(tenant)).toEqual([]);
  const payloadRef = await store.offload('a/outside', `${most}x`);
  expect(payloadRef).toEqual({ pointer: `${tenant}/a/outside.json.gz`, bytes: inlineBytesMax + 1 });
  expect(await payloadNames(tenant)).toEqual([`${tenant}/a/outside.json.gz`]);
  expect(await store.fetch(payloadRef)).toBe(`${most}x`);
});

test('a removed payload is gone, and removing it again succeeds', async () => {
  const { tenant, store } = payloads();
  const payloadRef = await store.offload('a/b', 'x', 0);
  if (!('pointer' in payloadRef)) throw new Error('It was kept in the item');
  for (let time = 0; time < 2; time++) await payloadRemover().remove([payloadRef.pointer]);
  expect(await payloadNames(tenant)).toEqual([]);
  await expect(store.fetch(payloadRef)).rejects.toThrow('404');
});

test('removing a folder deletes all its objects, however many, and leaves its neighbours', async () => {
  const { tenant, store, folders } = payloads();
  const names = Array.from({ length: 230 }, (_, n) => `folder/${n}`);
  await Promise.all([...names, 'folder2/x', 'other/folder/x'].map((name) => store.offload(name, 'x', 0)));
  await folders.remove('folder');
  expect((await payloadNames(tenant)).toSorted()).toEqual(
    ['folder2/x', 'other/folder/x'].map((name) => `${tenant}/${name}.json.gz`),
  );
});

test('removing a folder ends with the list of S3, not with a page that is shorter than requested', async () => {
  const { tenant, store, folders } = payloads();
  await Promise.all([1, 2, 3].map((name) => store.offload(`folder/a&b ${name}`, 'x', 0)));
  const real = globalThis.fetch;
  vi.stubGlobal('fetch', async (...asked: Parameters<typeof fetch>) => {
    const response = await real(...asked);
    const listing = await response.clone().text();
    const [first, ...others] = listing.match(/<Contents>.*?<\/Contents>/gs) ?? [];
    if (others.length === 0) return response;
    const flag = /<IsTruncated>.*<\/IsTruncated>/;
    return new Response(
      listing
        .replace(/<Contents>.*<\/Contents>/s, first ?? '')
        .replace(flag, '<IsTruncated>true</IsTruncated>'),
    );
  });
  await folders.remove('folder');
  vi.unstubAllGlobals();
  expect(await payloadNames(tenant)).toEqual([]);
});
