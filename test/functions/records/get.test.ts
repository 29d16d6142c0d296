import { expect, test } from 'vitest';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('200 with the record as created', async () => {
  const { call } = await newTenant();
  const created = await call('POST', '/v1/records', { body: { type: 'a', name: 'x', metadata: { k: [1] } } });
  const { status, body } = await call('GET', `/v1/records/${created.body.id}`);
  expect(status).toBe(200);
  expect(body).toEqual(created.body);
});

test('404 for another tenant’s record, the same as for one that does not exist', async () => {
  const [one, other] = await Promise.all([newTenant(), newTenant()]);
  const created = await one.call('POST', '/v1/records', { body: { type: 'a', name: 'x' } });
  const foreign = await other.call('GET', `/v1/records/${created.body.id}`);
  const missing = await other.call('GET', '/v1/records/record_01k9m4v7d3x8qz5w2r6t0y1hbn');
  expect(missing).toMatchObject({ status: 404, body: notFoundBody('Record') });
  expect(foreign).toMatchObject({ status: 404, body: missing.body });
});

test.each(['x', 'record_x', 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn', 'record_01K9M4V7D3X8QZ5W2R6T0Y1HBN'])(
  '400 for the malformed id %s',
  async (id) => {
    const { call } = await newTenant();
    const { status, body } = await call('GET', `/v1/records/${id}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'Validation error', details: [{ path: 'id' }] });
  },
);

test('403 without RECORDS:READ, which WRITE does not imply', async () => {
  const { call } = await newTenant({ permissions: ['RECORDS:WRITE'] });
  const { status, body } = await call('GET', '/v1/records/record_01k9m4v7d3x8qz5w2r6t0y1hbn');
  expect(status).toBe(403);
  expect(body).toEqual({ error: 'Forbidden', details: 'Missing required permission: RECORDS:READ' });
});
