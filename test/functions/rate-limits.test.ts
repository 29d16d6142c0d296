import { beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import { getUsageLimits } from '../../functions/usage-limits/get.ts';
import { gatewayResponses } from '../../infra/gateway-responses.ts';
import { ServiceError } from '../../shared/core/errors/errors.ts';
import { newId } from '../../shared/core/ids.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { brokenTable } from '../support/data/broken-table.ts';
import { invokeWith } from '../support/stack/invoke.ts';
import { newKey } from '../support/stack/keys.ts';
import { examplePath } from '../support/stack/paths.ts';
import { tenantPrincipal } from '../support/stack/principals.ts';
import { newTenant } from '../support/stack/stack.ts';

const counted = (endpoints as readonly AnyEndpoint[])
  .filter(({ scope }) => scope === undefined)
  .map((endpoint) => [endpoint.id, endpoint] as const);

let exhausted: Awaited<ReturnType<typeof newKey>>;
beforeAll(async () => {
  exhausted = await newKey(await newTenant(), { permissions: ['*'], rateLimits: { perHour: 1 } });
  expect((await exhausted.call('GET', '/v1/usage-limits')).status).toBe(200);
});

test.each(counted)('%s: 429 beyond the limit, with how long to wait', async (_id, endpoint) => {
  const { status, body, headers } = await exhausted.call(endpoint.method, examplePath(endpoint));
  const message = 'Hourly limit of 1 requests reached';
  // Protocols have a form of errors of their own.
  const form = endpoint.errorBody?.bodyOf(new ServiceError('RATE_LIMITED', message), 429);
  expect({ status, body }).toEqual({
    status: 429,
    body: form ?? { error: 'Rate limit exceeded', details: message },
  });
  expect(headers.get('x-ratelimit-limit')).toBe('1');
  expect(headers.get('x-ratelimit-remaining')).toBe('0');
  const reset = Number(headers.get('x-ratelimit-reset'));
  const retryAfter = Number(headers.get('retry-after'));
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(retryAfter).toBeLessThanOrEqual(reset - Math.floor(Date.now() / 1_000) + 60);
});

test('a request that could not be counted also has the headers', async () => {
  const tenant = await newTenant();
  const table = brokenTable(tenant.tenant, {
    before: () => {
      throw new Error('No table today');
    },
  });
  const scopeOf = () => ({ table, now: () => new Date(), newId });
  const lambda = toLambda(getUsageLimits, () => ({ scopeOf }));
  const answer = await invokeWith(lambda, tenantPrincipal(tenant))({ httpMethod: 'GET' });
  expect(answer).toMatchObject({
    statusCode: 500,
    headers: { 'X-RateLimit-Limit': '1000', 'X-RateLimit-Remaining': '1000', 'X-RateLimit-Reset': '0' },
  });
});

test('the gateway’s own responses also have the headers: none are left if the caller is to wait, for so long', () => {
  for (const [type, { statusCode, headers }] of Object.entries(gatewayResponses(1_000))) {
    const left = statusCode === 429 ? '0' : '1000';
    expect(headers, type).toMatchObject({ 'X-RateLimit-Limit': '1000', 'X-RateLimit-Remaining': left });
    expect(headers['Retry-After'], type).toBe(statusCode === 429 ? '1' : undefined);
  }
});
