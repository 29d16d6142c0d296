import { expect, test } from 'vitest';
import { mcpPort } from '../../../../../shared/adapters/mcp-client/mcp-adapter.ts';
import {
  hostileServer,
  type McpExchange,
  mcpEvent,
  modernServer,
  respondJson,
  result,
  sse,
  toolText,
} from '../../../../support/servers/hostile-mcp-server.ts';
import { eventually } from '../../../../support/stack/eventually.ts';
import { runTool, stepFailureMessage } from '../run-tool.ts';

const run = (url: string, config: object = {}, ports: object = {}) =>
  runTool(
    { toolType: 'mcp', config: { url, toolName: 'it', timeoutMs: 20_000, ...config } },
    {},
    {
      mcp: mcpPort('t'),
      ...ports,
    },
  );

/** A server that only responds to calls of its tools in its own way. */
const onCall = (respond: (exchange: McpExchange) => unknown) =>
  hostileServer((exchange) => (exchange.message.method === 'tools/call' ? respond(exchange) : undefined));

const mb = Buffer.alloc(1_000_000, 'a');

/** Writes until the other side closes. */
async function forever({ response }: McpExchange, chunk: string | Buffer, bytesMax = Infinity) {
  for (let bytes = 0; !response.destroyed && bytes < bytesMax; bytes += chunk.length) {
    if (!response.write(chunk)) await new Promise((done) => response.once('drain', done).once('close', done));
  }
  response.end();
  return true;
}

const stream = (exchange: McpExchange, ...written: [string | Buffer, number?]) => {
  sse(exchange.response);
  return forever(exchange, ...written);
};

const answers: [what: string, respond: (exchange: McpExchange) => unknown, message: string][] = [
  [
    'dies in the middle of a stream',
    ({ response }) => {
      sse(response).write(mcpEvent({ jsonrpc: '2.0', method: 'notifications/message' }));
      setTimeout(() => response.destroy(), 20);
      return true;
    },
    'ended its response without an answer',
  ],
  [
    'dies in the middle of an event',
    ({ response }) => {
      sse(response).write('data: {"jsonrpc":"2.0","id":1,"resu');
      setTimeout(() => response.destroy(), 20);
      return true;
    },
    'ended its response without an answer',
  ],
  ['closes the connection', ({ response }) => response.destroy(), 'cannot be reached'],
  ['ends the stream', ({ response }) => sse(response).end(), 'ended its response without an answer'],
  [
    'answers HTML',
    ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Login</h1>'),
    'does not follow the protocol',
  ],
  [
    'answers broken JSON',
    ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":'),
    'does not follow the protocol',
  ],
  [
    'answers JSON without JSON-RPC',
    ({ response }) => respondJson(response, { hello: 1 }),
    'does not follow the protocol',
  ],
  [
    'answers with a batch',
    ({ response, message }) =>
      respondJson(
        response,
        [message.id, 99].map((id) => ({ jsonrpc: '2.0', id, result: toolText('hi') })),
      ),
    'answered with a list of messages',
  ],
  ['answers 202', ({ response }) => response.writeHead(202).end(), 'without an answer'],
  ['answers with another id', ({ response }) => result(response, 99, toolText('hi')), 'without an answer'],
  [
    'answers a result that is none',
    ({ response, message }) => result(response, message.id, 'words'),
    'does not follow the protocol',
  ],
  [
    'answers nonsense in a stream',
    ({ response }) => sse(response).end('data: what?\n\ndata: {}\n\n'),
    'without an answer',
  ],
  [
    'streams without end',
    (exchange) => stream(exchange, mcpEvent({ jsonrpc: '2.0', method: 'notifications/x' })),
    'streams more than 20000 lines',
  ],
  ['streams one event without end', (exchange) => stream(exchange, mb), 'more than 5000000 bytes'],
  [
    'answers 50 MB',
    (exchange) => {
      exchange.response.writeHead(200, { 'content-type': 'application/json' });
      return forever(exchange, mb, 50_000_000);
    },
    'more than 5000000 bytes',
  ],
  [
    'answers a million objects',
    ({ response, message }) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"jsonrpc":"2.0","id":${message.id},"result":{"content":[${'{},'.repeat(1_000_000)}{}]}}`),
    'The MCP server answers with more than 100000 values',
  ],
  [
    'streams a million objects',
    ({ response, message }) =>
      sse(response).end(
        `data: {"jsonrpc":"2.0","id":${message.id},"result":{"content":[${'{},'.repeat(1_000_000)}{}]}}\n\n`,
      ),
    'The MCP server answers with more than 100000 values',
  ],
  [
    'redirects to a private address',
    ({ response }) => response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end(),
    'redirects to another origin or method, which is not followed',
  ],
  [
    'redirects in a circle',
    ({ response }) => response.writeHead(308, { location: '/mcp' }).end(),
    'redirects',
  ],
  ['is slow', () => true, 'did not answer within 300 ms'],
  [
    'answers 500',
    ({ response }) => response.writeHead(500).end('stack\u001b[31m trace\r\n2026 ERROR forged'),
    'The MCP server answered 500: stack [31m trace 2026 ERROR forged',
  ],
  [
    'answers a long error with control characters',
    ({ response, message }) =>
      result(response, message.id, toolText(`\u202e${'long\n'.repeat(9_000)}`, { isError: true })),
    `The MCP server answered with an error: ${'long '.repeat(60).trim()}`,
  ],
  [
    'answers a result that is nested too deeply',
    ({ response, message }) => {
      const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
      const text = `{"jsonrpc":"2.0","id":${message.id},"result":{"content":[],"structuredContent":${deep}}}`;
      return response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    },
    'nested more than 100 levels deep',
  ],
];

test.each(answers)('a server that %s', async (what, respond, message) => {
  const { url } = await onCall(async (exchange) => (await respond(exchange)) ?? true);
  // Only the slow one meets the time limit: every other message names its own cause, also on a busy machine.
  const failure = await stepFailureMessage(run(url, what === 'is slow' ? { timeoutMs: 300 } : {}));
  expect(failure).toContain(message);
  expect(failure.length).toBeLessThan(450);
  expect(failure).not.toMatch(/[\p{Cc}\u202e]/u);
});

test.each(['HTML', 'nothing', 'a JSON text'])('a server that answers %s to everything', async (what) => {
  const { url } = await hostileServer(({ response }) =>
    what === 'nothing'
      ? response.writeHead(200).end()
      : response
          .writeHead(200, { 'content-type': what === 'HTML' ? 'text/html' : 'application/json' })
          .end(what === 'HTML' ? '<p>' : '"x"'),
  );
  expect(await stepFailureMessage(run(url))).toContain('does not follow the protocol');
});

test.each([401, 403])('%i says how to authorize, and the addresses in it are not fetched', async (status) => {
  const metadata = await hostileServer(() => undefined);
  const { url, asked } = await hostileServer(({ response }) =>
    response
      .writeHead(status, {
        'www-authenticate': `Bearer error="insufficient_scope", resource_metadata="${metadata.url}"`,
      })
      .end('Who are you?'),
  );
  expect(await stepFailureMessage(run(url))).toBe(
    `The tool The_tool failed: The MCP server asks for authorization (${status}): give "auth" or a header in the tool's config. It answered: Who are you?`,
  );
  expect(metadata.asked).toEqual([]);
  expect(asked).toHaveLength(1);
});

test('requests of the server are declined, and its notifications ignored', async () => {
  const { url, asked } = await onCall(({ response, message }) => {
    sse(response);
    const methods = ['sampling/createMessage', 'elicitation/create', 'roots/list', 'what/ever'];
    for (const [id, method] of methods.entries()) {
      response.write(mcpEvent({ jsonrpc: '2.0', id: `s${id}`, method, params: {} }));
    }
    response.write(mcpEvent({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
    const end = () => response.end(mcpEvent({ jsonrpc: '2.0', id: message.id, result: toolText('done') }));
    void eventually(() => expect(declined()).toHaveLength(4)).finally(end);
    return true;
  });
  const declined = () => asked.filter(({ error }) => error);
  expect(await run(url)).toBe('done');
  expect(declined().map(({ id, error }) => [id, error?.code])).toEqual(
    ['s0', 's1', 's2', 's3'].map((id) => [id, -32_601]),
  );
});

test('a server cannot make the client send more than a few requests', async () => {
  const { url, asked } = await onCall((exchange) =>
    stream(exchange, mcpEvent({ jsonrpc: '2.0', id: 7, method: 'ping' }), 200_000),
  );
  expect(await stepFailureMessage(run(url))).toContain('causes more than 50 requests');
  expect(asked.length).toBeLessThan(60);
});

test('a server that closes the stream and resumes it when asked', async () => {
  const { url } = await hostileServer(({ message, response, request }) => {
    if (message.method === 'tools/call') return sse(response).end(`retry: 10\n${mcpEvent({}, 'one')}`);
    if (message.method !== 'GET') return undefined;
    expect(request.headers['last-event-id']).toBe('one');
    return sse(response).end(mcpEvent({ jsonrpc: '2.0', id: 1, result: toolText('later') }, 'two'));
  });
  expect(await run(url)).toBe('later');
});

test.each(['server/discover', 'tools/call'])(
  'a call that is cancelled in %s closes its connection',
  async (method) => {
    const { url, asked, closed } = await hostileServer(({ message, response }) =>
      message.method === method ? sse(response).write('\n') : undefined,
    );
    const controller = new AbortController();
    const request = { url, headers: {}, timeoutMs: 60_000, signal: controller.signal };
    const running = mcpPort('t').callTool({ ...request, toolName: 'it', args: {} });
    const cancelled = expect(running).rejects.toThrow('cancelled');
    await eventually(() => expect(asked.at(-1)?.method).toBe(method));
    controller.abort(new Error('cancelled'));
    await cancelled;
    await eventually(() => expect(closed).toContain(method));
  },
);

test('a server that does not end its session holds nobody up', async () => {
  const { url } = await hostileServer(({ message, response }) => {
    if (message.method === 'DELETE') return true;
    if (message.method === 'tools/call') return result(response, message.id, toolText('done'));
    if (message.method === 'initialize') response.setHeader('mcp-session-id', 'one');
    return undefined;
  });
  expect(await run(url)).toBe('done');
});

test('names of tools are data: odd ones are sent as they are, and listed in one line', async () => {
  const odd = '../../x"\n\u0000{{ name }} é';
  const tools = Array.from({ length: 30 }, (_, n) => ({
    name: `t${n}\n\u001b[2J`,
    inputSchema: { type: 'object' },
  }));
  const { url, asked } = await hostileServer(({ message, response }) => {
    if (message.method === 'tools/list') return result(response, message.id, { tools });
    if (message.params?.name !== odd) return undefined;
    return result(response, message.id, toolText('odd'));
  });
  expect(await run(url, { toolName: odd })).toBe('odd');
  expect(asked.at(-1)?.params?.name).toBe(odd);
  const message = await stepFailureMessage(run(url, { toolName: 'gone' }));
  expect(message).toContain('The MCP server has no tool gone. It has t0 [2J, t1 [2J,');
  expect(message).toContain('t19 [2J, and 10 more');
});

test('a tool that disappears between two calls', async () => {
  let tools = ['it'];
  const { url } = await hostileServer(({ message, response }) => {
    const list = tools.map((name) => ({ name, inputSchema: { type: 'object' } }));
    if (message.method === 'tools/list') return result(response, message.id, { tools: list });
    if (message.method !== 'tools/call') return undefined;
    if (tools.includes('it')) return result(response, message.id, toolText('done'));
    return result(response, message.id, toolText('Tool it not found', { isError: true }));
  });
  expect(await run(url)).toBe('done');
  tools = ['other'];
  expect(await stepFailureMessage(run(url))).toContain('has no tool it. It has other');
});

test('a server that repeats a secret is redacted before its text is cut', async () => {
  const value = 'the-secret-value';
  const { url } = await onCall(({ message, response, request }) =>
    result(
      response,
      message.id,
      toolText(`${'a'.repeat(295)}${request.headers['x-key']}`, { isError: true }),
    ),
  );
  const secrets = async () => new Map([['KEY', { value, version: '1' }]]);
  const message = await stepFailureMessage(run(url, { headers: { 'X-Key': '{{secret:KEY}}' } }, { secrets }));
  expect(message).toContain('aaa[sec');
  expect(message).not.toContain('the-');
});

test('a private address is refused before a connection, and a header that cannot be sent without its value', async () => {
  expect(await stepFailureMessage(run('http://10.0.0.1/mcp'))).toContain('not a public address');
  const { url, asked } = await hostileServer(() => undefined);
  const message = await stepFailureMessage(run(url, { headers: { 'x-a': 'hidden\r\nx-b: y' } }));
  expect(message).toContain('x-a has characters');
  expect(message).not.toContain('hidden');
  expect(asked).toEqual([]);
});

test('the output schemas of a server are not applied', async () => {
  const outputSchema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  const structuredContent = { a: `${'a'.repeat(40)}!` };
  const { url, asked } = await modernServer(
    () => [{ name: 'it', inputSchema: { type: 'object' }, outputSchema }],
    ({ message: { id }, response }) =>
      result(response, id, { resultType: 'complete', content: [], structuredContent }),
  );
  expect(await run(url)).toEqual(structuredContent);
  expect(asked.map(({ method }) => method)).toContain('tools/list');
});
