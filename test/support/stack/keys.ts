import { expect } from 'vitest';
import { callerWith, newTenant, type Tenant } from './stack.ts';

/** An API key made through the API, with its caller. */
export async function newKey(tenant: Tenant, body: object = {}) {
  const answer = await tenant.call('POST', '/v1/api-keys', { body: { name: 'test', ...body } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return {
    ...answer.body,
    id: answer.body.apiKey.id,
    key: answer.body.plainKey,
    call: callerWith(answer.body.plainKey),
  };
}

/** A tenant of its own with a key that may do what is listed. */
export const tenantWithKey = async (permissions: string[], more: object = {}) => {
  const tenant = await newTenant();
  return { tenant, ...(await newKey(tenant, { permissions, ...more })) };
};
