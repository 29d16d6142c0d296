import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnGateway, ownGateway } from '../../../support/stack/own-gateway.ts';
import { headers } from './headers.ts';
import { keys } from './keys.ts';
import { sessions } from './sessions.ts';
import { type AuthWorld, newWorld } from './world.ts';

let gateway: OwnGateway;
let world: AuthWorld;
beforeAll(async () => {
  gateway = await ownGateway();
  world = await newWorld(gateway);
});
afterAll(() => gateway.close());

const cases = [...headers, ...keys, ...sessions];

test('the corpus has at least 80 unique cases', () => {
  expect(new Set(cases.map(([name]) => name)).size).toBe(cases.length);
  expect(cases.length).toBeGreaterThanOrEqual(80);
});

test.each(cases)('%s', async (_name, make, { status, body }) => {
  const sent = await make(world);
  const { lines, request, statusBefore = 200 } = typeof sent === 'string' ? { lines: [sent] } : sent;
  expect(statusBefore).toBe(200);
  const answer = await gateway.send(lines, request);
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  if (body === '') return;
  for (const name of ['limit', 'remaining', 'reset'])
    expect(answer.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
  expect(answer.headers.has('retry-after')).toBe(status === 429);
});

test('keys are fetched only from the issuer, at its own addresses', async () => {
  for (const [, make] of sessions) {
    const sent = await make(world);
    const { lines, request } = typeof sent === 'string' ? { lines: [sent], request: undefined } : sent;
    await gateway.send(lines, request);
  }
  expect(Object.keys(gateway.issuer.asked)).toEqual(['/.well-known/openid-configuration', '/jwks']);
});
