import { expect, test } from 'vitest';
import { UrlRefused } from '../../../../shared/adapters/net/addresses.ts';
import { postOnly } from '../../../../shared/adapters/net/post-only.ts';
import { allowHost, loopback } from '../../../support/servers/loopback.ts';
import { oddAnswers } from '../../../support/servers/otlp-answers.ts';

const request = { headers: { 'content-type': 'application/json' }, body: '{}', timeoutMs: 5_000 };

test('sends the body and the headers, and returns the status', async () => {
  const seen: (string | undefined)[] = [];
  const { url, host } = await loopback((incoming, response) => {
    seen.push(incoming.method, incoming.headers['content-type'], incoming.headers['content-length']);
    response.writeHead(202).end();
  });
  allowHost(host);
  expect(await postOnly({ ...request, url })).toMatchObject({ status: 202 });
  expect(seen).toEqual(['POST', 'application/json', '2']);
});

test('a redirect is a status like any other', async () => {
  let requests = 0;
  const { url, host } = await loopback((_request, response) => {
    requests++;
    response.writeHead(307, { location: '/again' }).end();
  });
  allowHost(host);
  expect(await postOnly({ ...request, url })).toMatchObject({ status: 307 });
  expect(requests).toBe(1);
});

test('a response without end is not read', async () => {
  const { url, host } = await loopback((_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
    response.on('close', () => clearInterval(timer));
  });
  allowHost(host);
  expect(await postOnly({ ...request, url })).toMatchObject({ status: 200 });
});

test('a short body is read on demand', async () => {
  const { url, host } = await loopback((_request, response) => response.writeHead(200).end('short'));
  allowHost(host);
  expect(await postOnly({ ...request, url })).not.toHaveProperty('body');
  const { body } = await postOnly({ ...request, url, bodyBytesMax: 5 });
  expect(Buffer.from(body ?? []).toString()).toBe('short');
  expect((await postOnly({ ...request, url, bodyBytesMax: 4 })).body).toBeUndefined();
});

test.each(['dripping', 'endless', 'packed', 'cut'])(
  'the status holds whatever becomes of a body that is %s',
  async (answer) => {
    const { url, host } = await loopback((incoming, response) => oddAnswers[answer]?.(response, incoming));
    allowHost(host);
    const patient = { ...request, url, timeoutMs: 300_000, bodyBytesMax: 64_000 };
    expect(await postOnly(patient)).toMatchObject({ status: 200, body: undefined });
  },
);

test('a slow server, one that is not there, and one that is not public are errors', async () => {
  const { url, host } = await loopback(() => {});
  await expect(postOnly({ ...request, url })).rejects.toThrow(UrlRefused);
  await expect(postOnly({ ...request, url: 'ftp://example.com' })).rejects.toThrow(UrlRefused);
  allowHost(`${host},127.0.0.1:9993`);
  const slow = postOnly({ ...request, url, timeoutMs: 100 });
  await expect(slow).rejects.toThrow(`${url} did not answer within 100 ms`);
  const absent = postOnly({ ...request, url: 'http://127.0.0.1:9993' });
  await expect(absent).rejects.toThrow('cannot be reached: ECONNREFUSED');
});
