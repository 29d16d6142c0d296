import { expect, test } from 'vitest';
import { forEachConcurrently } from '../../../shared/core/concurrency/map-concurrently.ts';
import { exportWorkspace, fillWorkspace } from '../../support/files/workspaces.ts';
import { newTenant } from '../../support/stack/stack.ts';

type Path = readonly PropertyKey[];

/** The places of all members and elements in a document. */
function* placesIn(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) yield* placesIn(member, [...path, name]);
}

const others = [null, 7, 'x', [], {}, [{}], true];

/** The document without what is at a place, or with another thing there. */
function changedAt(document: object, path: Path, other: unknown): object {
  const copy = structuredClone(document);
  const holder = path
    .slice(0, -1)
    .reduce((value, name) => (value as Record<PropertyKey, unknown>)[name], copy as unknown);
  if (other === undefined) Reflect.deleteProperty(holder as object, path.at(-1) as PropertyKey);
  else Reflect.set(holder as object, path.at(-1) as PropertyKey, other);
  return copy;
}

test('a document with anything missing or misshapen is planned or refused with its place', async () => {
  const tenant = await newTenant();
  await fillWorkspace(tenant);
  const document = await exportWorkspace(tenant);
  const places = [...placesIn(document)];
  expect(places.length).toBeGreaterThan(200);
  const failed: string[] = [];
  const tried = places.flatMap((path, n) => [
    { path, other: undefined },
    { path, other: others[n % others.length] },
  ]);
  await forEachConcurrently(tried, 8, async ({ path, other }) => {
    const body = { document: changedAt(document, path, other) };
    const { status } = await tenant.call('POST', '/v1/workspace/plan', { body });
    if (status >= 500) failed.push(`${path.join('.')} ${JSON.stringify(other)}: ${status}`);
  });
  expect(failed).toEqual([]);
});

test.each(['plan', 'apply'])('%s: a signature without secrets is refused with its place', async (verb) => {
  const tenant = await newTenant();
  const surface = { name: 'Hook', type: 'webhook', inbound: { signature: { scheme: 'standard-webhooks' } } };
  const document = { products: [{ name: 'P', surfaces: [surface] }] };
  const { status, body } = await tenant.call('POST', `/v1/workspace/${verb}`, { body: { document } });
  expect(status).toBe(verb === 'plan' ? 200 : 400);
  expect(verb === 'plan' ? body.errors : body.details).toEqual([
    expect.objectContaining({ path: 'products.0.surfaces.0.inbound.signature.secrets' }),
  ]);
});
