import { expect, test } from 'vitest';
import { UrlRefused } from '../../../../shared/adapters/net/addresses.ts';
import { postOnly } from '../../../../shared/adapters/net/post-only.ts';
import { allow, loopback } from '../../../support/loopback.ts';

const request = { headers: { 'content-type': 'application/json' }, body: '{}', timeoutMs: 5_000 };

test('sends the body and the headers, and returns the status', async () => {
  const seen: (string | undefined)[] = [];
  const { url, host } = await loopback((incoming, response) => {
    seen.push(incoming.method, incoming.headers['content-type'], incoming.headers['content-length']);
    response.writeHead(202).end();
  });
  allow(host);
  expect(await postOnly({ ...request, url })).toMatchObject({ status: 202 });
  expect(seen).toEqual(['POST', 'application/json', '2']);
});

test('a redirect is a status like any other', async () => {
  let requests = 0;
  const { url, host } = await loopback((_request, response) => {
    requests++;
    response.writeHead(307, { location: '/again' }).end();
  });
  allow(host);
  expect(await postOnly({ ...request, url })).toMatchObject({ status: 307 });
  expect(requests).toBe(1);
});

test('a response without end is not read', async () => {
  const { url, host } = await loopback((_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
    response.on('close', () => clearInterval(timer));
  });
  allow(host);
  expect(await postOnly({ ...request, url })).toMatchObject({ status: 200 });
});

test('a slow server, one that is not there, and one that is not public are errors', async () => {
  const { url, host } = await loopback(() => {});
  await expect(postOnly({ ...request, url })).rejects.toThrow(UrlRefused);
  await expect(postOnly({ ...request, url: 'ftp://example.com' })).rejects.toThrow(UrlRefused);
  allow(`${host},127.0.0.1:40001`);
  const slow = postOnly({ ...request, url, timeoutMs: 100 });
  await expect(slow).rejects.toThrow(`${url} did not answer within 100 ms`);
  const absent = postOnly({ ...request, url: 'http://127.0.0.1:40001' });
  await expect(absent).rejects.toThrow('cannot be reached: ECONNREFUSED');
});
