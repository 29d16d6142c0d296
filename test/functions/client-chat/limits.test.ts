import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { callFrom } from '../../support/servers/networks.ts';
import { newAddress } from '../../support/servers/own-address.ts';
import { agentChat, answerTo, openPageStream, openSession } from '../../support/surfaces/chat.ts';

const messageOf = (sessionId: string) => ({ sessionId, messages: [{ role: 'user', content: 'Hi' }] });
const idOf = ({ body }: { body: string }) => JSON.parse(body).sessionId as string;
const unknown = { token: `ct_live_${'a'.repeat(49)}` };

test('the visitors of one network cannot use up the limits of a token for all others', async () => {
  const { token, sessionId } = await agentChat({ rateLimitPerMinute: 24 });
  for (let n = 0; n < 12; n++) await answerTo(sessionId, 'Hi');
  const full = await openPageStream(sessionId, 'Hi');
  expect([full.status, full.body.details]).toEqual([429, 'Minutely limit of 12 requests reached']);
  expect(full.headers.get('x-ratelimit-limit')).toBe('12');
  expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);
  const address = newAddress();
  const other = idOf(await callFrom(address, 'init', { token }));
  expect((await callFrom(address, 'chat', messageOf(other))).status).toBe(200);
  // Requests that run nothing have another limit.
  await expectStatus(200, openSession(token, { sessionId }));
});

test('a network has ten messages a minute also of a token with a low limit', async () => {
  const { sessionId } = await agentChat({ rateLimitPerMinute: 11 });
  for (let n = 0; n < 10; n++) await answerTo(sessionId, 'Hi');
  expect((await openPageStream(sessionId, 'Hi')).body.details).toBe('Minutely limit of 10 requests reached');
});

test('50 clients at once get exactly the messages of the token’s limit per minute', async () => {
  const { token } = await agentChat({ rateLimitPerMinute: 20 });
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const address = newAddress();
      const sessionId = idOf(await callFrom(address, 'init', { token }));
      return (await callFrom(address, 'chat', messageOf(sessionId))).status;
    }),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(statuses.filter((status) => status === 429)).toHaveLength(30);
});

test('unknown tokens and sessions count for the address, and do not hinder the visitors of a token', async () => {
  const { token } = await agentChat();
  const address = newAddress();
  const remaining = async (path: string, body: object) => {
    const { status, headers } = await callFrom(address, path, body);
    return [status, headers.get('x-ratelimit-remaining')];
  };
  expect(await remaining('init', unknown)).toEqual([401, '99']);
  expect(await remaining('init', { token: 'invented' })).toEqual([401, '98']);
  expect(await remaining('chat', messageOf('invented'))).toEqual([401, '97']);
  expect(await remaining('init', { surfaceId: 'surface_01k9m4v7d3x8qz5w2r6t0y1hbn' })).toEqual([403, '96']);
  for (let n = 0; n < 96; n++) await callFrom(address, 'init', unknown);
  expect(await remaining('init', unknown)).toEqual([429, '0']);
  expect((await callFrom(address, 'init', { token })).status).toBe(200);
});
