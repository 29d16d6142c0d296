import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { startModelStandIn, type ToolCallAnswer } from '../../../examples/model-stand-in.ts';
import { handler } from '../../../functions/dispatch/run.ts';
import { toChunks } from '../../../shared/core/chunks.ts';
import { addressesFor, ssrfCorpus } from '../../shared/adapters/net/ssrf-corpus.ts';
import { newSecret } from '../../support/data/secrets.ts';
import { fakeDns } from '../../support/servers/fake-dns.ts';
import { hostileServer, respondJson, result, toolText } from '../../support/servers/hostile-mcp-server.ts';
import { allowHost, loopback } from '../../support/servers/loopback.ts';
import { trap } from '../../support/servers/trap.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';
import { invokeStreaming, readStreamedAnswer } from '../../support/stack/streamed.ts';

fakeDns(addressesFor);

// Lambdas of this process ask a model of this process: it calls the tool `m__work`, then repeats all that it got.
const models = await startModelStandIn({
  answer: (request): string | ToolCallAnswer =>
    request.messages.some(({ role }) => role === 'tool') || !request.tools
      ? JSON.stringify(request)
      : { toolCalls: [{ name: 'm__work', arguments: {} }] },
});
beforeEach(() => {
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', models.url);
});
afterAll(() => models.close());

const prompt = (mcpServers: object[]) => ({
  type: 'prompt',
  name: 'ask',
  config: { model: 'generic-openai/any', text: 'Hi', tools: { mcpServers } },
});

async function dispatched(tenant: Tenant, steps: object[], streamResponse = false): Promise<string> {
  const body = { flow: { steps }, options: { streamResponse } };
  const { stream, done } = invokeStreaming(handler, tenant, body);
  const [{ head, body: text }] = await Promise.all([readStreamedAnswer(stream), done]);
  expect(head.statusCode, text).toBe(200);
  return text;
}

const work = { name: 'work', inputSchema: { type: 'object' } };
type Says = (headers: Record<string, unknown>) => unknown;

/** A server with the tool `work`, which responds with what `says` makes of the headers of the call. */
const servers: Record<string, (says: Says) => Promise<{ url: string; calls: () => number }>> = {
  async streamable_http(says) {
    const { url, asked } = await hostileServer(({ message: { id, method }, request, response }) => {
      if (method === 'tools/list') return result(response, id, { tools: [work] });
      if (method !== 'tools/call') return undefined;
      return result(response, id, toolText(JSON.stringify(says(request.headers))));
    });
    return { url, calls: () => asked.filter(({ method }) => method === 'tools/call').length };
  },
  async rest(says) {
    let calls = 0;
    const { url, host } = await loopback(({ method, headers }, response) => {
      if (method === 'GET') return respondJson(response, { tools: [work] });
      calls++;
      return respondJson(response, says(headers));
    });
    allowHost(host);
    return { url, calls: () => calls };
  },
};
const transports = Object.keys(servers);
const open = (transport: string, says: Says) => (servers[transport] as (typeof servers)[string])(says);

const value = 'a credential of the tenant';

test.each(
  transports.flatMap((transport) => [
    [transport, { type: 'bearer', token: '{{secret:KEY}}' }, { authorization: `Bearer ${value}` }] as const,
    [
      transport,
      { type: 'custom_header', headerName: 'X-Own', token: 'Token {{ secret:KEY }}' },
      { 'x-own': `Token ${value}` },
    ] as const,
    [
      transport,
      { type: 'basic', username: 'me', password: '{{secret:KEY}}' },
      { authorization: `Basic ${Buffer.from(`me:${value}`).toString('base64')}` },
    ] as const,
  ]),
)(
  '%s: the server gets the secret of %j, and no result or stream shows it',
  async (transport, auth, expected) => {
    const tenant = await newTenant();
    await newSecret(tenant, { key: 'KEY', value });
    const seen: Record<string, unknown>[] = [];
    const { url } = await open(transport, (headers) => {
      seen.push(headers);
      return headers;
    });
    const steps = [prompt([{ id: 'm', url, transport, auth }])];
    const answers = [await dispatched(tenant, steps), await dispatched(tenant, steps, true)];
    expect(seen).toEqual([expect.objectContaining(expected), expect.objectContaining(expected)]);
    for (const answer of answers) {
      expect(answer).toContain('[secret:KEY]');
      expect(answer).not.toContain(value);
      expect(answer).not.toContain(Buffer.from(value).toString('base64').slice(4, -4));
    }
  },
);

test('a secret without a value fails the step before anything is asked', async () => {
  const tenant = await newTenant();
  const { url, calls } = await open('rest', () => 'x');
  const before = models.requests.length;
  const auth = { type: 'bearer', token: '{{secret:GONE}}' };
  const { success, error } = JSON.parse(
    await dispatched(tenant, [prompt([{ id: 'm', url, transport: 'rest', auth }])]),
  );
  expect({ success, error }).toMatchObject({
    success: false,
    error: expect.stringContaining('The secret GONE has no value'),
  });
  expect([calls(), models.requests.length - before]).toEqual([0, 0]);
});

test('another tenant’s secret has no value', async () => {
  const [owner, other] = await Promise.all([newTenant(), newTenant()]);
  await newSecret(owner, { key: 'KEY', value });
  const { url, calls } = await open('rest', () => 'x');
  const auth = { type: 'bearer', token: '{{secret:KEY}}' };
  const { error } = JSON.parse(
    await dispatched(other, [prompt([{ id: 'm', url, transport: 'rest', auth }])]),
  );
  expect(error).toContain('The secret KEY has no value');
  expect(calls()).toBe(0);
});

test.each(transports)(
  '%s: a call that takes longer than the timeout fails, and the model is told',
  async (transport) => {
    const tenant = await newTenant();
    const { url, host } = await loopback(({ method }, response) => {
      if (transport === 'rest' && method === 'GET') return respondJson(response, { tools: [work] });
      return undefined;
    });
    allowHost(host);
    const hostile = await hostileServer(({ message: { id, method }, response }) =>
      method === 'tools/list'
        ? result(response, id, { tools: [work] })
        : method === 'tools/call' || undefined,
    );
    const server = { id: 'm', url: transport === 'rest' ? url : hostile.url, transport, timeout: 1_000 };
    const answer = await dispatched(tenant, [prompt([server])]);
    expect(answer).toContain('The tool m__work of the MCP server \\\\\\"m\\\\\\" failed');
    expect(JSON.parse(answer).success).toBe(true);
  },
);

test.each(transports)(
  '%s: the run goes on without a server that cannot list its tools',
  async (transport) => {
    const tenant = await newTenant();
    const mcpServers = [{ id: 'm', url: 'http://127.0.0.1:1/mcp', transport }];
    const { success, output } = JSON.parse(await dispatched(tenant, [prompt(mcpServers)]));
    expect(success).toBe(true);
    const [system] = JSON.parse(output).messages;
    expect(system).toMatchObject({
      role: 'system',
      content: expect.stringContaining('The tools of the MCP server "m" are not available'),
    });
  },
);

test('a run goes on with the pages of a list that could be read, and says what is missing', async () => {
  const tenant = await newTenant();
  const { url } = await hostileServer(({ message: { id, method, params = {} }, response }) => {
    if (method === 'tools/call') return result(response, id, toolText('worked'));
    if (method !== 'tools/list') return undefined;
    return 'cursor' in params
      ? response.writeHead(500).end()
      : result(response, id, { tools: [work], nextCursor: '2' });
  });
  const { success, output, warnings } = JSON.parse(await dispatched(tenant, [prompt([{ id: 'm', url }])]));
  const message =
    'Tools of the MCP server "m" are not available: only the first 1 of its list could be read, and the rest is missing: The MCP server answered 500';
  expect([success, warnings]).toEqual([true, [expect.objectContaining({ code: 'TOOLS_MISSING', message })]]);
  const { messages } = JSON.parse(output);
  expect(messages[0].content).toContain(message);
  expect(messages.at(-1)).toMatchObject({ role: 'tool', content: 'worked' });
  const required = JSON.parse(await dispatched(tenant, [prompt([{ id: 'm', url, required: true }])]));
  expect(required).toMatchObject({
    success: false,
    error: expect.stringContaining('only the first 1 of its list could be read'),
  });
});

test.each(transports)(
  '%s: no address of the corpus is reached',
  async (transport) => {
    const tenant = await newTenant();
    const { port, connections } = await trap();
    const urls = Object.values(ssrfCorpus)
      .flat()
      .map((url) => url.replaceAll('PORT', String(port)));
    const saves = async (url: string) =>
      (
        await tenant.call('POST', '/v1/flows', {
          body: { name: 'x', flowSteps: [prompt([{ id: 's', url, transport }])] },
        })
      ).status === 201;
    const saved = await Promise.all(urls.map(saves));
    const usable = urls.filter((_url, index) => saved[index]);
    expect(usable.length).toBeGreaterThan(100);
    for (const some of toChunks(usable, 16)) {
      const mcpServers = some.map((url, n) => ({ id: `s${n}`, url, transport }));
      const { output } = JSON.parse(await dispatched(tenant, [prompt(mcpServers)]));
      for (const [n, url] of some.entries()) {
        expect(JSON.parse(output).messages[0].content, url).toContain(
          `The tools of the MCP server "s${n}" are not available`,
        );
      }
    }
    expect(connections()).toBe(0);
  },
  120_000,
);
