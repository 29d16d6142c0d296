import { expect, test } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { newTenant } from '../support/stack/stack.ts';

/** What the reference shows as lists, by their answers and filters, and not by their names. */
const filtered = endpoints.filter(
  ({ method, permission, errorBody, query }: AnyEndpoint) =>
    method === 'GET' && permission !== 'public' && !errorBody && query,
);

test('a query parameter that no list has is a 400 that names those that it has', async () => {
  const { call } = await newTenant();
  expect(filtered.length).toBeGreaterThan(30);
  for (const { id, path, query } of filtered) {
    const { status, body } = await call('GET', `${path.replace(/\{.+?\}/g, 'x')}?tags=a`);
    const named = Object.keys(query?.shape ?? {});
    const message = `"tags" is not a query parameter of this operation. The parameters are ${named.join(', ')}`;
    expect([id, status, body.details]).toEqual([
      id,
      400,
      [{ path: 'tags', code: 'UNKNOWN_MEMBER', message }],
    ]);
  }
});

test('lists without parameters say so, and a single item is no list', async () => {
  const tenant = await newTenant();
  const { body } = await tenant.call('GET', '/v1/secrets?search=a');
  expect(body.details).toEqual([
    {
      path: 'search',
      code: 'UNKNOWN_MEMBER',
      message: '"search" is not a query parameter of this operation. It has no parameters',
    },
  ]);
  expect((await tenant.call('GET', '/v1/usage-limits?at=1')).status).toBe(200);
});
