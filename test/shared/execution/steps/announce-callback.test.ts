import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { plannedBatch, runOnce } from '../../../support/flows/batches.ts';
import { allowHost, loopback } from '../../../support/servers/loopback.ts';

test('the address of a callback passes through filters in its announcement', async () => {
  const received: Record<string, string>[] = [];
  const { url } = await loopback(async (request, response) => {
    received.push((await json(request)) as Record<string, string>);
    response.end('{}');
  });
  allowHost(new URL(url).host);
  await silentQueue('WAKES_QUEUE_URL');
  const body = '{ "plain": "{{ callbackUrl }}", "coded": "{{ callbackUrl | base64_encode }}" }';
  const announce = { http: { url, method: 'POST' as const, body } };
  const hear = { type: 'wait-for-callback' as const, name: 'Hear', config: { timeoutMinutes: 5, announce } };
  const { scope, message } = await plannedBatch({ steps: [hear] });
  await runOnce(scope, message());
  const [{ plain = '', coded = '' } = {}] = received;
  expect(plain).toMatch(/\/v1\/callbacks\/tv_callback_\w+$/);
  expect(Buffer.from(coded, 'base64').toString()).toBe(plain);
});

test('an announcement that fails does not tell the address to whoever reads the error', async () => {
  const { url } = await loopback((request, response) => {
    response.writeHead(400).end(`No such path: ${request.url}`);
  });
  allowHost(new URL(url).host);
  const http = { url: `${url}/hear?at={{ callbackUrl }}`, method: 'POST' as const };
  const config = { timeoutMinutes: 5, announce: { http } };
  const { scope, message, results } = await plannedBatch({
    steps: [{ type: 'wait-for-callback', name: 'Hear', config }],
  });
  await runOnce(scope, message());
  const [row] = await results();
  expect(JSON.stringify(row)).toMatch(/answered 400: No such path: .*tv_callback_\[redacted\]/);
});
