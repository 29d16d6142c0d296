import { expect, test } from 'vitest';
import { createFlow } from '../../functions/flows/create.ts';
import { validateFlow } from '../../functions/public/validate-flow.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { template } from '../support/flows/flows.ts';
import { occupy } from '../support/flows/occupied-sandbox.ts';
import { invokeWith } from '../support/stack/invoke.ts';
import { tenantPrincipal } from '../support/stack/principals.ts';
import { countingRuntime, newTenant } from '../support/stack/stack.ts';

const request = {
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'Later', flowSteps: [template('{{ a | upcase }}')] }),
};
const refusal = {
  error: 'Service unavailable',
  details: [
    {
      code: 'BUSY',
      message: 'The service has too much to check at the moment. Send the request again later',
    },
  ],
};

test('an anonymous request that would wait long behind others gets a retry-later error, while a tenant’s request is answered', async () => {
  const tenant = await newTenant();
  const validate = toLambda(validateFlow, countingRuntime);
  const create = toLambda(createFlow, countingRuntime);
  occupy('anonymous');
  const [refused, saved] = await Promise.all([
    invokeWith(validate, {})(request),
    invokeWith(create, tenantPrincipal(tenant))(request),
  ]);
  expect(saved).toMatchObject({ statusCode: 201 });
  expect(refused).toMatchObject({ statusCode: 503, headers: { 'Retry-After': '10' } });
  expect(JSON.parse(refused.body)).toEqual(refusal);
});

test('a request that would wait long behind runs of the same tenant gets a retry-later error', async () => {
  const tenant = await newTenant();
  occupy(tenant.tenant);
  const refused = await invokeWith(toLambda(createFlow, countingRuntime), tenantPrincipal(tenant))(request);
  expect(refused).toMatchObject({ statusCode: 503, headers: { 'Retry-After': '10' } });
  expect(JSON.parse(refused.body)).toEqual(refusal);
});
