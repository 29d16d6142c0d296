import { beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { listWorld } from '../support/flows/list-world.ts';
import { invokeWith } from '../support/stack/invoke.ts';
import { tenantPrincipal } from '../support/stack/principals.ts';
import { roundTripRuntime } from '../support/stack/round-trips.ts';

const lists = (endpoints as readonly AnyEndpoint[]).filter(
  ({ method, summary }) => method === 'GET' && summary.startsWith('List '),
);
const counted = lists.filter(({ query }) => query && 'includeCount' in query.shape);

/** The page, and what its entries name. */
const tripsMax = 2;
/** Also the surface, which decides who may call, and the runs of open tasks, whose state no task contains. */
const exceptions: Record<string, number> = { 'surface-a2a.list-tasks': 4 };

let world: Awaited<ReturnType<typeof listWorld>>;
beforeAll(async () => {
  world = await listWorld();
});

/** The requests to DynamoDB that a page sends beside and after its authorization, by round trip. */
async function tripsOf(endpoint: AnyEndpoint, query: Record<string, string> = {}): Promise<string[]> {
  const { runtime, begin, trips } = roundTripRuntime();
  const observed: AnyEndpoint = {
    ...endpoint,
    handle: (...given) => {
      begin();
      return endpoint.handle(...given);
    },
  };
  const invoke = invokeWith(
    toLambda(observed, () => runtime),
    tenantPrincipal(world.tenant),
  );
  const { queryStringParameters, ...request } = world.requestOf(endpoint);
  const { statusCode } = await invoke({
    httpMethod: 'GET',
    // For those that verify the credential themselves.
    headers: { authorization: `Bearer ${world.tenant.token}` },
    ...request,
    queryStringParameters: { ...queryStringParameters, ...query },
  });
  expect(statusCode).toBe(200);
  return trips().map((commands) => commands.toSorted().join(', '));
}

const named = (some: readonly AnyEndpoint[]) => some.map((endpoint) => [endpoint.id, endpoint] as const);

test.each(named(lists))('%s: the first page takes two round trips at most', async (id, endpoint) => {
  const trips = await tripsOf(endpoint);
  expect(trips.length, trips.join(' → ')).toBeLessThanOrEqual(exceptions[id] ?? tripsMax);
});

test.each(named(counted))('%s: so does a page with a count', async (_id, endpoint) => {
  const trips = await tripsOf(endpoint, { includeCount: 'true' });
  expect(trips.length, trips.join(' → ')).toBeLessThanOrEqual(tripsMax);
});

test('requests that wait for others are counted, parallel ones are not', async () => {
  const records = lists.find(({ id }) => id === 'records.list') as AnyEndpoint;
  expect(await tripsOf(records, { includeCount: 'true' })).toEqual(['Query, Query', 'BatchGetItem']);
});
