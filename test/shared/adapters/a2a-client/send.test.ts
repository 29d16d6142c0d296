import { expect, test, vi } from 'vitest';
import { a2aPort } from '../../../../shared/adapters/a2a-client/a2a-adapter.ts';
import type { A2aEvent, A2aRequest } from '../../../../shared/adapters/ports/a2a-port.ts';
import {
  type AgentWork,
  a2aServer,
  dataPart,
  taskStates,
  textPart,
} from '../../../support/servers/a2a-server.ts';
import { eventually } from '../../../support/stack/eventually.ts';

const request = (url: string, more: Partial<A2aRequest> = {}): A2aRequest => ({
  agent: { url, protocolVersion: '1.0', streaming: true },
  headers: {},
  parts: [{ text: 'Hello' }],
  timeoutMs: 10_000,
  retries: 0,
  signal: new AbortController().signal,
  ...more,
});
const eventsOf = (url: string, more: Partial<A2aRequest> = {}) =>
  Array.fromAsync(a2aPort.send(request(url, more)));
const textIn = (events: A2aEvent[]) =>
  events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');

const chunked = (work: AgentWork) => {
  work.begin();
  work.status(taskStates.working, 'Looking');
  work.artifact('one', [textPart('Good ')], { lastChunk: false });
  work.artifact('one', [textPart('morning')], { append: true });
  work.artifact('two', [textPart('Second'), dataPart({ a: 1 })]);
  work.status(taskStates.completed);
};

test('a stream gives deltas, artifacts and states, and at last the whole answer', async () => {
  const { url, asked } = await a2aServer(chunked);
  const events = await eventsOf(url);
  expect(asked).toEqual(['SendStreamingMessage']);
  const two = { id: 'two', name: 'two', description: '', parts: [{ text: 'Second' }, { data: { a: 1 } }] };
  const one = { id: 'one', name: 'one', description: '', parts: [{ text: 'Good ' }, { text: 'morning' }] };
  expect(events).toEqual([
    { type: 'status', state: 'working', text: 'Looking' },
    { type: 'text-delta', text: 'Good ' },
    { type: 'text-delta', text: 'morning' },
    { type: 'artifact', artifact: one },
    { type: 'text-delta', text: '\n\nSecond' },
    { type: 'artifact', artifact: two },
    { type: 'status', state: 'completed', text: '' },
    {
      type: 'end',
      state: 'completed',
      text: 'Good morning\n\nSecond',
      artifacts: [one, two],
      contextId: expect.any(String),
      taskId: expect.any(String),
    },
  ]);
});

test('an artifact that grows piece by piece, each of which ends it, is not shown as a whole each time', async () => {
  const pieces = 600;
  const { url } = await a2aServer((work) => {
    work.begin();
    for (let n = 0; n < pieces; n++) work.artifact('one', [textPart('x')], { append: n > 0 });
    work.status(taskStates.completed);
  });
  const events = await eventsOf(url, { timeoutMs: 60_000 });
  const shown = events.flatMap((event) => (event.type === 'artifact' ? [event.artifact.parts.length] : []));
  expect(shown.slice(0, 3)).toEqual([1, 2, 3]);
  expect(shown.reduce((sum, parts) => sum + parts, 0)).toBeLessThan(110_000);
  expect(textIn(events)).toBe('x'.repeat(pieces));
  expect(events.at(-1)).toMatchObject({ state: 'completed', text: 'x'.repeat(pieces) });
}, 90_000);

test.each<['1.0' | '0.3', boolean, string | undefined]>([
  ['1.0', true, '1.0'],
  ['1.0', false, '1.0'],
  ['1.0', false, undefined],
  ['0.3', true, '0.3.0'],
  ['0.3', false, '0.3.0'],
  ['0.3', false, undefined],
])('a server of A2A %s, streaming %s, for a client that knows %s', async (version, streaming, known) => {
  const { url, asked } = await a2aServer(chunked, { version, streaming });
  const events = await eventsOf(url, { agent: { url, protocolVersion: known, streaming } });
  expect(textIn(events)).toBe('Good morning\n\nSecond');
  expect(events.at(-1)).toMatchObject({ type: 'end', state: 'completed', text: 'Good morning\n\nSecond' });
  expect(asked.length).toBe(version === '0.3' && known === undefined ? 2 : 1);
});

test.each([true, false])('an answer without a task, streaming %s', async (streaming) => {
  const { url } = await a2aServer((work) => work.answer('Hi'), { streaming });
  const events = await eventsOf(url, { agent: { url, protocolVersion: '1.0', streaming } });
  expect(events).toMatchObject([
    { type: 'text-delta', text: 'Hi' },
    { type: 'end', state: 'completed', text: 'Hi', artifacts: [] },
  ]);
});

test('what the agent gets: the parts, the skill, the context and the credentials', async () => {
  const got: unknown[] = [];
  const { url, headers } = await a2aServer((work) => {
    got.push(work.message);
    work.answer('ok');
  });
  await eventsOf(url, {
    parts: [{ text: 'a' }, { data: { b: 1 } }],
    skillId: 'delays',
    contextId: 'ctx',
    headers: { authorization: 'Bearer t' },
  });
  expect(got).toMatchObject([
    {
      contextId: 'ctx',
      metadata: { skillId: 'delays' },
      parts: [{ content: { $case: 'text', value: 'a' } }, { content: { $case: 'data', value: { b: 1 } } }],
    },
  ]);
  expect(headers[0]).toMatchObject({ authorization: 'Bearer t', 'a2a-version': '1.0' });
});

test.each([
  [taskStates.inputRequired, 'input-required'],
  [taskStates.authRequired, 'auth-required'],
  [taskStates.failed, 'failed'],
])('the end of a task in state %i is %s, with the words of the agent', async (number, state) => {
  const { url } = await a2aServer((work) => {
    work.begin();
    work.status(number, 'Which city?');
  });
  const events = await eventsOf(url);
  expect(events.at(-1)).toMatchObject({
    type: 'end',
    state,
    text: 'Which city?',
    taskId: expect.any(String),
  });
});

test('a task that waits for input goes on with the next message', async () => {
  const { url } = await a2aServer((work) => {
    work.begin();
    const [first] = work.message.parts;
    const said = first?.content?.$case === 'text' ? first.content.value : '';
    if (said === 'Hello') work.status(taskStates.inputRequired, 'Which city?');
    else work.status(taskStates.completed, `${said} it is`);
  });
  const end = (await eventsOf(url)).at(-1);
  if (end?.type !== 'end') throw new Error('No end');
  const { contextId, taskId } = end;
  const next = await eventsOf(url, { parts: [{ text: 'Oslo' }], contextId, taskId });
  expect(next.at(-1)).toMatchObject({ state: 'completed', text: 'Oslo it is', contextId, taskId });
});

/** A server without the SDK, which answers each method in its own way. */
async function raw(
  respond: (body: { id: unknown; method: string }, n: number) => object | string | number | 'hang' | 'die',
) {
  const { allowHost, loopback } = await import('../../../support/servers/loopback.ts');
  const { text } = await import('node:stream/consumers');
  const asked: string[] = [];
  const { url, host } = await loopback(async (incoming, response) => {
    const body = JSON.parse(await text(incoming));
    asked.push(body.method);
    const answer = respond(body, asked.length);
    if (answer === 'hang') return;
    if (answer === 'die') return void response.destroy();
    if (typeof answer === 'number')
      return void response.writeHead(answer, { location: 'http://10.0.0.1/' }).end('busy');
    const isStream = typeof answer === 'string' && answer.startsWith('data:');
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  allowHost(host);
  return { url, asked };
}
const task = (id: unknown, state: string, more: object = {}) => ({
  jsonrpc: '2.0',
  id,
  result: { id: 'task', contextId: 'ctx', status: { state }, ...more },
});
const quiet = (url: string) => ({ agent: { url, protocolVersion: '1.0', streaming: false } });

test('a task that is not over is polled until it is', async () => {
  const { url, asked } = await raw(({ id, method }, n) =>
    method === 'SendMessage'
      ? { jsonrpc: '2.0', id, result: { task: task(id, 'TASK_STATE_WORKING').result } }
      : task(id, n < 4 ? 'TASK_STATE_WORKING' : 'TASK_STATE_COMPLETED', {
          artifacts: [{ artifactId: 'a', parts: [{ text: n < 3 ? 'be' : 'begin' }] }],
        }),
  );
  const events = await eventsOf(url, quiet(url));
  expect(asked).toEqual(['SendMessage', 'GetTask', 'GetTask', 'GetTask']);
  expect(textIn(events)).toBe('begin');
  expect(events.at(-1)).toMatchObject({ state: 'completed', text: 'begin' });
});

test('a stream that breaks off is continued by polls', async () => {
  const { url, asked } = await raw(({ id, method }) =>
    method === 'SendStreamingMessage'
      ? `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { task: task(id, 'TASK_STATE_WORKING').result } })}\n\n`
      : task(id, 'TASK_STATE_COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'done' }] }] }),
  );
  expect((await eventsOf(url)).at(-1)).toMatchObject({ state: 'completed', text: 'done' });
  expect(asked).toEqual(['SendStreamingMessage', 'GetTask']);
});

test.each([503, 429])(
  'a message that a server does not accept (%i) is sent again, others are not',
  async (status) => {
    const { url, asked } = await raw(({ id }, n) =>
      n < 3
        ? status
        : {
            jsonrpc: '2.0',
            id,
            result: { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'ok' }] } },
          },
    );
    expect((await eventsOf(url, { ...quiet(url), retries: 2 })).at(-1)).toMatchObject({ text: 'ok' });
    expect(asked).toHaveLength(3);
    const busy = await raw(() => status);
    const failed = await eventsOf(busy.url, { ...quiet(busy.url), retries: 1 });
    expect(failed).toEqual([{ type: 'failure', failure: 'busy', status }]);
    expect(busy.asked).toHaveLength(2);
  },
);

test.each([
  [500, 'busy'],
  [401, 'busy'],
  [404, 'busy'],
])('status %i is not retried', async (status, failure) => {
  const { url, asked } = await raw(() => status);
  expect(await eventsOf(url, { ...quiet(url), retries: 3 })).toEqual([{ type: 'failure', failure, status }]);
  expect(asked).toHaveLength(1);
});

test('an error of the protocol is a failure in the words of the server', async () => {
  const { url } = await raw(({ id }) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32_603, message: 'No power' },
  }));
  expect(await eventsOf(url, quiet(url))).toEqual([{ type: 'failure', failure: 'No power' }]);
  const streamed = await raw(
    ({ id }) =>
      `data: ${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'No power' } })}\n\n`,
  );
  expect(await eventsOf(streamed.url)).toEqual([{ type: 'failure', failure: 'No power' }]);
});

const deep = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`;
const big = 'x'.repeat(6_000_000);
test.each<[string, Parameters<typeof raw>[0], boolean, string]>([
  ['HTML', () => '<html>', false, 'does not follow the A2A protocol'],
  ['HTML for a stream', () => '<html>', true, 'does not follow the A2A protocol'],
  ['an empty object', () => ({}), false, 'does not follow the A2A protocol'],
  ['another id', () => task('x', 'TASK_STATE_COMPLETED'), false, 'does not follow the A2A protocol'],
  ['nonsense in a stream', () => 'data: what?\n\n', true, 'does not follow the A2A protocol'],
  ['an empty stream', () => 'data:', true, 'does not follow the A2A protocol'],
  ['6 MB', () => big, false, 'more than 5000000 bytes'],
  ['6 MB in an event', () => `data: ${big}\n\n`, true, 'more than 5000000 bytes'],
  ['100,000 lines', () => `data:\n${':\n'.repeat(100_000)}`, true, 'more than 50000 lines'],
  ['a redirect', () => 307, false, 'redirects, which is not followed'],
  ['nothing', () => 'hang', false, 'did not answer within 500 ms'],
  ['nothing to a stream', () => 'hang', true, 'did not answer within 500 ms'],
  ['a broken connection', () => 'die', false, 'cannot be reached'],
  [
    'a task without end',
    ({ id, method }) =>
      method === 'SendMessage'
        ? { jsonrpc: '2.0', id, result: { task: task(id, 'TASK_STATE_WORKING').result } }
        : task(id, 'TASK_STATE_WORKING'),
    false,
    'did not answer within 500 ms',
  ],
  [
    'data that is nested too deeply',
    ({ id }) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ data: 'DEEP' }] } },
      }).replace('"DEEP"', deep),
    false,
    'nested more than 100 levels deep',
  ],
  [
    'artifacts without end',
    ({ id }) =>
      Array.from({ length: 300 }, (_, n) => {
        const artifactUpdate = {
          taskId: 't',
          contextId: 'c',
          artifact: { artifactId: `${n}`, parts: [{ text: 'x' }] },
        };
        const first = { task: task(id, 'TASK_STATE_WORKING').result };
        return `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: n === 0 ? first : { artifactUpdate } })}\n\n`;
      }).join(''),
    true,
    'more than 200 artifacts',
  ],
])('a server that answers %s', async (_what, respond, streaming, message) => {
  const { url } = await raw(respond);
  const timeoutMs = message.includes('500 ms') ? 500 : 8_000;
  const running = eventsOf(url, { timeoutMs, agent: { url, protocolVersion: '1.0', streaming } });
  await expect(running).rejects.toThrow(message);
});

test('a private address is refused, and one that is down is tried again and named', async () => {
  await expect(eventsOf('http://10.0.0.1/')).rejects.toThrow('not a public address');
  await expect(eventsOf('http://localhost:4000/')).rejects.toThrow('not a public address');
  await expect(eventsOf('file:///etc/passwd')).rejects.toThrow('Only http and https');
  vi.stubEnv('ALLOWED_HOSTS', '127.0.0.1:9992');
  await expect(eventsOf('http://127.0.0.1:9992/', { retries: 1 })).rejects.toThrow(
    'cannot be reached: ECONNREFUSED',
  );
});

test('a caller that goes cancels the task of the agent', async () => {
  const canceled: string[] = [];
  const { url } = await a2aServer(
    async (work) => {
      work.begin();
      work.status(taskStates.working, 'Looking');
      await new Promise((resolve) => setTimeout(resolve, 3_000).unref());
    },
    { canceled: (id) => canceled.push(id) },
  );
  const leaving = new AbortController();
  const running = eventsOf(url, { signal: leaving.signal });
  const gone = expect(running).rejects.toThrow('gone');
  setTimeout(() => leaving.abort(new Error('gone')), 300);
  await gone;
  await eventually(() => expect(canceled).toHaveLength(1));
  for await (const event of a2aPort.send(request(url))) if (event.type === 'status') break;
  await eventually(() => expect(canceled).toHaveLength(2));
});
