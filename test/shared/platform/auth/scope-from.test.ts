import { randomInt } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { newId } from '../../../../shared/core/ids.ts';
import { defineScope } from '../../../../shared/platform/auth/public-scope.ts';
import { using } from '../../../../shared/platform/aws/uses.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../../../shared/platform/http/lambda/lambda.ts';
import { openApi } from '../../../../shared/platform/http/openapi.ts';
import type { Runtime } from '../../../../shared/platform/runtime.ts';
import { invokeWith } from '../../../support/stack/invoke.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';

const tenantName = using([], ({ table }: Scope) => table.tenant);

/** A public endpoint whose path names its tenant, where that begins with `known`. */
const chatOf = (limit: Parameters<typeof defineScope>[0]['limit'], handled: string[] = []) =>
  defineEndpoint({
    id: 'chat.card',
    method: 'GET',
    path: '/v1/chat/{tenant}',
    permission: 'public',
    scope: defineScope({
      what: 'Chat',
      uses: [],
      limit,
      from: async ({ pathParameters }: APIGatewayProxyEvent, runtime: Runtime) => {
        const name = pathParameters?.tenant ?? '';
        return name.startsWith('known') ? runtime.scopeOf(name) : undefined;
      },
    }),
    summary: 'A card',
    params: z.object({ tenant: z.string() }),
    response: { kind: 'json', bodies: { 200: z.object({ tenant: z.string() }) } },
    errors: [404],
    needs: { tenantName },
    handle: ({ principal, requestId }, needs) => {
      handled.push(requestId);
      expectTypeOf(principal).toEqualTypeOf<undefined>();
      expectTypeOf(needs.tenantName).toEqualTypeOf<string>();
      return { tenant: needs.tenantName };
    },
  });

const caller = (endpoint: ReturnType<typeof chatOf>) => {
  const runtime = countingRuntime();
  const invoke = invokeWith(
    toLambda(endpoint, () => runtime),
    {},
  );
  return async (tenant: string, sourceIp: string) => {
    const { statusCode, body, headers } = await invoke({
      httpMethod: 'GET',
      pathParameters: { tenant },
      requestContext: { requestId: 'test', identity: { sourceIp } } as never,
    });
    return { status: statusCode, body: JSON.parse(body), left: headers?.['X-RateLimit-Remaining'] };
  };
};

const group = () => randomInt(1, 0xffff).toString(16);
const newAddress = () => `2001:db8:${group()}:${group()}`;
const newTenantName = () => `known-${newId('key')}`;
const two = { perHour: 2, perDay: 100 };

test('the needs are bound to the tenant in the path, and callers are rate-limited per address', async () => {
  const call = caller(chatOf({ per: 'address', ...two }));
  const [tenant, address, other] = [newTenantName(), newAddress(), newAddress()];
  expect(await call(tenant, `${address}::1`)).toEqual({ status: 200, body: { tenant }, left: '1' });
  expect(await call(newTenantName(), `${address}::2`)).toMatchObject({ status: 200, left: '0' });
  expect(await call(tenant, `${address}::1`)).toMatchObject({
    status: 429,
    body: { details: 'Hourly limit of 2 requests reached' },
  });
  expect(await call(tenant, `${other}::1`)).toMatchObject({ status: 200, left: '1' });
});

test('all callers of a tenant can share one rate limit', async () => {
  const call = caller(chatOf({ per: 'tenant', ...two }));
  const tenant = newTenantName();
  expect((await call(tenant, `${newAddress()}::1`)).left).toBe('1');
  expect((await call(tenant, `${newAddress()}::1`)).left).toBe('0');
  expect((await call(tenant, `${newAddress()}::1`)).status).toBe(429);
  expect((await call(newTenantName(), `${newAddress()}::1`)).left).toBe('1');
});

test.each(['address', 'tenant'] as const)(
  'an unknown tenant in the path returns 404: no handler runs, and attempts are limited per address (%s)',
  async (per) => {
    const handled: string[] = [];
    const call = caller(chatOf({ per, ...two }, handled));
    const address = newAddress();
    const missing = { error: 'Chat not found', details: [{ code: 'NOT_FOUND', message: 'Chat not found' }] };
    expect(await call('nobody', `${address}::1`)).toMatchObject({ status: 404, body: missing });
    expect((await call('nobody else', `${address}::1`)).status).toBe(404);
    expect((await call('nobody', `${address}::1`)).status).toBe(429);
    expect(handled).toEqual([]);
  },
);

test('the API document requires no credential and documents the rate limit', () => {
  const endpoint = chatOf({ per: 'address', ...two });
  const { paths } = openApi({ chat: { description: 'Chats', endpoints: [endpoint] } });
  const operation = paths['/v1/chat/{tenant}']?.get as {
    security: object[];
    responses: Record<string, object>;
  };
  expect(operation.security).toEqual([]);
  expect(Object.keys(operation.responses)).toEqual(['200', '404', '429', '431', '500', '504']);
  expect(operation.responses[200]).toHaveProperty(['headers', 'X-RateLimit-Remaining']);
});
