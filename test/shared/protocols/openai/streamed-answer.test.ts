import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ModelCallFailed } from '../../../../shared/adapters/ports/model-port.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import {
  type AnswerEvent,
  streamAnswer,
} from '../../../../shared/protocols/openai/answers/streamed-answer.ts';
import { chunkWriter } from '../../../../shared/protocols/openai/chat/complete-chat.ts';

const head = { runId: 'exec_1', model: 'a/b', startedAt: new Date(0) };
const never = new AbortController().signal;
const writer = () => chunkWriter(head, { includesUsage: false, hasFunctions: false });
const delta = (piece: string): AnswerEvent => ({ type: 'text-delta', text: piece });

test('a provider that breaks off is told in the stream, which then ends without [DONE]', async () => {
  async function* events(): AsyncGenerator<AnswerEvent> {
    yield { type: 'start' };
    yield delta('Hel');
    throw new ModelCallFailed('a/b returned an unusable response: the response ended early', {
      source: { modelUsed: 'a/b', keySource: 'platform' },
      isAborted: false,
    });
  }
  const { stream } = await streamAnswer({ events }, never, writer());
  const lines = (await text(stream)).split('\n\n').filter(Boolean);
  expect(lines).toHaveLength(3);
  expect(JSON.parse(lines[2]?.slice(6) ?? '')).toEqual({
    error: {
      message: 'a/b returned an unusable response: the response ended early',
      type: 'server_error',
      param: null,
      code: 'upstream_error',
    },
  });
});

test('an internal error in a stream says nothing of itself', async () => {
  async function* events(): AsyncGenerator<AnswerEvent> {
    yield delta('Hel');
    throw new Error('the password is 1234');
  }
  const body = await text((await streamAnswer({ events }, never, writer())).stream);
  expect(body).not.toContain('1234');
  expect(body).toContain('"type":"server_error"');
});

test('what fails before the first event is an error of the request', async () => {
  // biome-ignore lint/correctness/useYield: it fails before
  async function* events(): AsyncGenerator<AnswerEvent> {
    throw new StepError('no');
  }
  await expect(streamAnswer({ events }, never, writer())).rejects.toThrow('no');
});

test('the answer ends for its client before what is left to do is done', async () => {
  const done = Promise.withResolvers<void>();
  async function* events(): AsyncGenerator<AnswerEvent> {
    yield { type: 'end', stopReason: 'stop', usage: null };
    await done.promise;
  }
  const { stream, written } = await streamAnswer({ events }, never, writer());
  const iterator = stream.setEncoding('utf8')[Symbol.asyncIterator]();
  expect((await iterator.next()).value).toContain('data: [DONE]');
  done.resolve();
  await written;
});

test('the client leaves: the answer is aborted, and ends its work', async () => {
  const seen: string[] = [];
  async function* events(signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    try {
      yield delta('one');
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    } finally {
      seen.push('ended');
    }
  }
  const { stream, written } = await streamAnswer({ events }, never, writer());
  stream.destroy();
  await written;
  expect(seen).toEqual(['ended']);
});

test('the pieces of each call of a tool have its place; a call without pieces comes as one', () => {
  const { text: written } = writer();
  const callsIn = (line: string) => JSON.parse(line.slice(6)).choices[0].delta.tool_calls;
  const piece = (id: string, of: string): AnswerEvent => ({
    type: 'tool-call-delta',
    id,
    name: 'f',
    text: of,
  });
  const whole = (id: string, of: string): AnswerEvent => ({
    type: 'tool-call',
    id,
    name: 'f',
    text: of,
    input: {},
  });
  expect(callsIn(written(piece('a', '{"n"')))).toEqual([
    { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"n"' } },
  ]);
  expect(callsIn(written(piece('b', '')))[0]).toMatchObject({ index: 1, id: 'b' });
  expect(callsIn(written(piece('a', ':1}')))).toEqual([{ index: 0, function: { arguments: ':1}' } }]);
  expect(written(whole('a', '{"n":1}'))).toBe('');
  expect(callsIn(written(whole('c', '{}')))).toEqual([
    { index: 2, id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } },
  ]);
});
