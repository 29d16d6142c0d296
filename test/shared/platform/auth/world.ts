import { expect } from 'vitest';
import { apiKeyEntity } from '../../../../shared/platform/auth/api-key.ts';
import { newKey } from '../../../support/stack/keys.ts';
import type { OwnGateway, RawRequest } from '../../../support/stack/own-gateway.ts';
import { countingRuntime, newTenant, type Tenant } from '../../../support/stack/stack.ts';

export type AuthWorld = Awaited<ReturnType<typeof newWorld>>;
export type Sent = string | { lines: string[]; request?: RawRequest; statusBefore?: number };
export interface ExpectedAnswer {
  status: number;
  body: unknown;
}
export type Case = [name: string, make: (world: AuthWorld) => Sent | Promise<Sent>, expected: ExpectedAnswer];

export const unauthorized: ExpectedAnswer = {
  status: 401,
  body: { error: 'Unauthorized', details: 'The API key is invalid or missing' },
};
export const forbiddenAnswer = (details: string, more = {}): ExpectedAnswer => ({
  status: 403,
  body: { error: 'Forbidden', details, ...more },
});
export const limitedAnswer = (details: string): ExpectedAnswer => ({
  status: 429,
  body: { error: 'Rate limit exceeded', details },
});
export const welcome: ExpectedAnswer = { status: 200, body: expect.objectContaining({ data: [] }) };
export const missing = (permission: string) => forbiddenAnswer(`Missing required permission: ${permission}`);
export const wrongAddress = forbiddenAnswer('IP address not allowed');
export const notHttp: ExpectedAnswer = {
  status: 400,
  body: {
    error: 'Validation error',
    details: [{ code: 'MALFORMED_REQUEST', message: 'The request is malformed' }],
  },
};

export async function newWorld({ issuer, send }: OwnGateway) {
  const tenant = await newTenant();
  const { key } = await newKey(tenant, { permissions: ['FLOWS:READ'] });
  const foreign = await newKey(await newTenant());
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const bearer = (token: string): Sent => ({ lines: [`Authorization: Bearer ${token}`] });

  /** A key of its own, used once so that the authorizer's answer is kept, and then changed. */
  async function changed(change: (key: { id: string; key: string }, tenant: Tenant) => Promise<unknown>) {
    const made = await newKey(tenant, { permissions: ['FLOWS:READ'] });
    const sent = { lines: [`Authorization: Bearer ${made.key}`] };
    const { status: statusBefore } = await send(sent.lines);
    await change(made, tenant);
    return { ...sent, statusBefore };
  }
  const put = (body: object) =>
    changed(async ({ id }) =>
      expect((await tenant.call('PUT', `/v1/api-keys/${id}`, { body })).status).toBe(200),
    );
  const expiring = (inMs: number) =>
    changed(({ id }) => {
      const expiresAt = new Date(Date.now() + inMs).toISOString();
      return table.commit([table.writes.update(apiKeyEntity, { id }, { set: { expiresAt } })]);
    });
  const madeWith = async (body: object) => bearer((await newKey(tenant, body)).key);
  const signed = async (...parameters: Parameters<typeof issuer.sign>) =>
    bearer(await issuer.sign(...parameters));
  return {
    tenant,
    key,
    foreign,
    table,
    issuer,
    send,
    bearer,
    changed,
    put,
    expiring,
    madeWith,
    signed,
    now: () => Math.floor(Date.now() / 1_000),
  };
}
