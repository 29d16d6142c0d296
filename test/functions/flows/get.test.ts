import { expect, test } from 'vitest';
import { getFlow } from '../../../functions/flows/get.ts';
import { hashKey } from '../../../shared/platform/auth/key-format.ts';
import { toLambda } from '../../../shared/platform/http/lambda/lambda.ts';
import { toContext } from '../../../shared/platform/identity/principal.ts';
import { createFlow } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { invokeWith } from '../../support/stack/invoke.ts';
import { newKey, tenantWithKey } from '../../support/stack/keys.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';

test('404 with the same message for an unknown id and for another tenant’s flow; 400 for a malformed id', async () => {
  const flow = await createFlow(await newTenant());
  const { call } = await newTenant();
  const unknown = await call('GET', `/v1/flows/flow_${'0'.repeat(26)}`);
  const foreign = await call('GET', `/v1/flows/${flow.id}`);
  expect([unknown.status, unknown.body]).toEqual([404, notFoundBody('Flow')]);
  expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body]);
  const garbled = await call('GET', '/v1/flows/flow_1');
  expect(garbled).toMatchObject({ status: 400, body: { details: [{ path: 'id', code: 'INVALID_FORMAT' }] } });
});

test('any valid credential can read a flow', async () => {
  const { tenant, call } = await tenantWithKey(['RECORDS:READ']);
  const flow = await createFlow(tenant);
  expect((await call('GET', `/v1/flows/${flow.id}`)).body).toEqual(flow);
});

test('a warm call sends two DynamoDB requests in one round trip: the rate-limit counter and the flow', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const { id: keyId, key } = await newKey(tenant);
  const runtime = countingRuntime();
  const get = invokeWith(
    toLambda(getFlow, () => runtime),
    toContext({
      kind: 'key',
      tenant: tenant.tenant,
      userId: tenant.userId,
      organizationId: null,
      environment: 'production',
      keyId,
      hash: hashKey(key),
      permissions: [],
    }),
  );
  await get({ pathParameters: { id: flow.id } });
  runtime.reset();
  expect(await get({ pathParameters: { id: flow.id } })).toMatchObject({ statusCode: 200 });
  expect(runtime.consumed.commands.toSorted()).toEqual(['GetItem', 'UpdateItem']);
  expect(runtime.consumed.capacityUnits).toBe(1.5);
});
