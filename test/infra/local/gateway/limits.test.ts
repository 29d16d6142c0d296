import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { eventTooLarge, isAnswerTooLarge, isEventTooLarge } from '../../../../infra/local/gateway/gateway.ts';
import { responseStream } from '../../../../infra/local/gateway/response-stream.ts';
import { preludeEnd } from '../../../../shared/platform/http/lambda/awslambda.ts';
import { newTenant, stack, type Tenant } from '../../../support/stack/stack.ts';

/** Not through `call`: API Gateway's own errors do not have the format of the service. */
async function create({ token }: Tenant, body: string | FormData, path = '/v1/records') {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
  };
  const response = await fetch(stack().url + path, { method: 'POST', headers, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const bodyOf = (filling: string) => JSON.stringify({ type: 't', name: 'n', metadata: {}, filling });

test.each([
  ['quotes', bodyOf('"'.repeat(1_580_000))],
  ['line breaks between the members', `{"type":"t",${'\n'.repeat(3_200_000)}"name":"n"}`],
  ['text that needs no escape', bodyOf('x'.repeat(6_400_000))],
  ['CJK', bodyOf('漢'.repeat(2_120_000))],
])('an event over 6 MB never reaches Lambda: a body of %s', async (_, body) => {
  const { status, headers, text } = await create(await newTenant(), body);
  expect([status, text]).toEqual([413, eventTooLarge.body]);
  expect(headers.get('x-amzn-errortype')).toBe('BadRequestException');
});

test.each([
  ['quotes', bodyOf('"'.repeat(1_520_000))],
  ['text that needs no escape', bodyOf('x'.repeat(6_100_000))],
])(
  'a body just below that is a 413 of the service, which says how the body is measured: %s',
  async (_, body) => {
    const { status, text } = await create(await newTenant(), body);
    expect(status).toBe(413);
    expect(JSON.parse(text)).toMatchObject({
      error: 'Payload too large',
      details: [
        {
          code: 'TOO_LARGE',
          message: expect.stringContaining('a quote, a backslash or a line break counts twice'),
        },
      ],
    });
  },
);

test('a body within the limit is read, whatever its content', async () => {
  const tenant = await newTenant();
  for (const filling of ['"'.repeat(1_490_000), '漢'.repeat(1_990_000), 'x'.repeat(5_900_000)]) {
    const { status, text } = await create(tenant, bodyOf(filling));
    expect([status, JSON.parse(text).details[0].code]).toEqual([400, 'UNKNOWN_MEMBER']);
  }
});

test('the event of an upload holds the file in Base64', async () => {
  const tenant = await newTenant();
  const statusOf = async (bytes: number) => {
    const form = new FormData();
    form.append('file', new File(['x'.repeat(bytes)], 'x.csv'));
    const { status, text } = await create(tenant, form, '/v1/records/upload-csv');
    return [status, text.includes('Request Too Long')];
  };
  expect(await statusOf(4_480_000)).toEqual([400, false]);
  expect(await statusOf(4_600_000)).toEqual([413, false]);
  expect(await statusOf(4_800_000)).toEqual([413, true]);
});

test('request line and headers have at most 10,240 bytes together', async () => {
  const { call } = await newTenant();
  const statusWith = async (bytes: number) =>
    (await call('GET', '/v1/flows', { headers: { 'x-long': 'x'.repeat(bytes) } })).status;
  expect(await statusWith(8_500)).toBe(200);
  expect(await statusWith(10_300)).toBe(431);
});

test('Lambda takes events of 6,291,456 bytes and answers of 6,291,556 bytes of JSON', () => {
  const event = (body: string) => ({ body }) as APIGatewayProxyEvent;
  const around = '{"body":""}'.length;
  expect(isEventTooLarge(event('x'.repeat(6_291_456 - around)))).toBe(false);
  expect(isEventTooLarge(event('x'.repeat(6_291_457 - around)))).toBe(true);
  expect(isEventTooLarge(event('"'.repeat((6_291_456 - around) / 2 + 1)))).toBe(true);
  const answer = (body: string) => ({ statusCode: 200, body });
  const head = JSON.stringify(answer('')).length;
  expect(isAnswerTooLarge(answer('x'.repeat(6_291_556 - head)))).toBe(false);
  expect(isAnswerTooLarge(answer('x'.repeat(6_291_557 - head)))).toBe(true);
});

test('a streamed response over the limit is cut off', async () => {
  const server = createServer((_request, response) => {
    const stream = responseStream(response, 'id', 1_000);
    stream.write(JSON.stringify({ statusCode: 200 }) + preludeEnd);
    stream.write('x'.repeat(900));
    setTimeout(() => stream.end('x'.repeat(200)), 20);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  server.close();
});
