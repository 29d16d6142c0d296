import type { ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { beforeEach, expect, test, vi } from 'vitest';
import { collect, type ModelRequest } from '../../../../shared/adapters/ports/model-port.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { liveModels } from '../../../support/models/model-ports.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { eventually } from '../../../support/stack/eventually.ts';

const signal = new AbortController().signal;
const stream = (more: Partial<ModelRequest> = {}) =>
  liveModels.model.stream({
    model: 'generic-openai/any',
    messages: [{ role: 'user', content: 'Hello' }],
    streamed: false,
    signal,
    ...more,
  });
const ask = () => collect(stream());

const megabyte = Buffer.alloc(1_000_000, 'x');
const [start, end] = JSON.stringify({
  id: 'x',
  created: 1,
  model: 'any',
  choices: [{ index: 0, message: { role: 'assistant', content: '…' }, finish_reason: 'stop' }],
}).split('…') as [string, string];
const piece = (content: string) =>
  `data: ${JSON.stringify({ id: 'x', created: 1, model: 'any', choices: [{ index: 0, delta: { content } }] })}\n\n`;

beforeEach(() => {
  vi.unstubAllEnvs();
});

type Answer = (response: ServerResponse) => { first?: string; each: string | Buffer; isPacked?: boolean };

/** A server that sends without end, until the other side closes the connection. */
async function endless(answer: Answer) {
  const seen = { requests: 0, closed: 0 };
  const server = await loopback(async (request, response) => {
    request.resume();
    seen.requests++;
    const { first = '', each, isPacked } = answer(response);
    async function* pieces() {
      yield first;
      for (;;) yield each;
    }
    await pipeline(Readable.from(pieces()), isPacked ? createGzip() : new PassThrough(), response).catch(
      () => seen.closed++,
    );
  });
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', server.url);
  return seen;
}

function asJson(response: ServerResponse) {
  response.setHeader('content-type', 'application/json');
  return { first: start, each: megabyte };
}

function packed(response: ServerResponse) {
  response.setHeader('content-encoding', 'gzip');
  return { ...asJson(response), isPacked: true };
}

const asEvents = (each: string) => (response: ServerResponse) => {
  response.setHeader('content-type', 'text/event-stream');
  return { each };
};

test.each([
  ['an answer', asJson],
  ['an answer that is packed', packed],
])('%s is read up to 10 MB, requested once, and aborted', async (_what, answer) => {
  const seen = await endless(answer);
  const { message, retryable } = await stepFailure(ask());
  expect(message).toBe(
    'generic-openai/any returned an unusable response: the response has more than 10000000 bytes',
  );
  expect(retryable).toBe(false);
  expect(seen.requests).toBe(1);
  await eventually(() => expect(seen.closed).toBe(1));
});

test('an error is read up to 10 MB too', async () => {
  const seen = await endless((response) => asJson(Object.assign(response, { statusCode: 400 })));
  expect((await stepFailure(ask())).message).toContain('generic-openai/any');
  await eventually(() => expect(seen.closed).toBe(1));
});

test.each([
  ['text', piece('x'.repeat(1_000_000)), '4000000 characters'],
  ['anything else', `: ${'x'.repeat(1_000_000)}\n\n`, '50000000 bytes'],
])('a stream of %s ends at the limit', async (_what, each, limit) => {
  const seen = await endless(asEvents(each));
  let shown = 0;
  const { message, retryable } = await stepFailure(
    (async () => {
      for await (const event of stream({ streamed: true })) {
        if (event.type === 'text-delta') shown += event.text.length;
      }
    })(),
  );
  expect(message).toContain(`more than ${limit}`);
  expect(retryable).toBe(false);
  expect(shown).toBeLessThanOrEqual(4_000_000);
  expect(seen.requests).toBe(1);
  await eventually(() => expect(seen.closed).toBe(1));
});

test('a response with embeddings is read up to 50 MB', async () => {
  const seen = await endless(packed);
  const { message } = await stepFailure(
    liveModels.embed({ model: 'generic-openai/any', texts: ['x'], signal }),
  );
  expect(message).toContain('the response has more than 50000000 bytes');
  expect(seen).toMatchObject({ requests: 1 });
  await eventually(() => expect(seen.closed).toBe(1));
});

test('a text of four million characters is accepted', async () => {
  const content = 'é'.repeat(4_000_000);
  const server = await loopback((_request, response) => {
    response.setHeader('content-type', 'application/json').end(start + content + end);
  });
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', server.url);
  expect((await ask()).text).toBe(content);
});
