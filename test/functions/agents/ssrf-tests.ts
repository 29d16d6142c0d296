import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { startModelStandIn } from '../../../examples/model-stand-in.ts';
import { createAgent as createAgentEndpoint } from '../../../functions/agents/create.ts';
import { fetchCardOfAgent } from '../../../functions/agents/fetch-agent-card.ts';
import { refreshAgentCard } from '../../../functions/agents/refresh-agent-card.ts';
import { handler } from '../../../functions/dispatch/run.ts';
import { toChunks } from '../../../shared/core/chunks.ts';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../../shared/platform/http/lambda/lambda.ts';
import { addressesFor } from '../../shared/adapters/net/ssrf-corpus.ts';
import { fakeDns } from '../../support/servers/fake-dns.ts';
import { trap } from '../../support/servers/trap.ts';
import { invokeWith } from '../../support/stack/invoke.ts';
import { tenantPrincipal } from '../../support/stack/principals.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';
import { invokeStreaming, readStreamedAnswer } from '../../support/stack/streamed.ts';

fakeDns(addressesFor);

// Lambdas of this process ask a model of this process, which repeats what it is told.
const models = await startModelStandIn({ answer: (request) => JSON.stringify(request) });
beforeEach(() => {
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', models.url);
});
afterAll(() => models.close());

/** Operations of this process, which would notice a request to the trap. */
async function send(tenant: Tenant, endpoint: AnyEndpoint, body: object, pathParameters: object = {}) {
  const headers = { 'content-type': 'application/json' };
  const event = { headers, pathParameters: { ...pathParameters }, body: JSON.stringify(body) };
  const answer = await invokeWith(toLambda(endpoint, countingRuntime), tenantPrincipal(tenant))(event);
  return { status: answer.statusCode, body: JSON.parse(answer.body) };
}

/** What the model of a run is told. */
async function promptOf(tenant: Tenant, agent: object): Promise<{ status: number; prompt: string }> {
  const { stream, done } = invokeStreaming(handler, tenant, {
    agent,
    messages: [{ role: 'user', content: 'hello' }],
    options: { streamResponse: false },
  });
  const [{ head, body }] = await Promise.all([readStreamedAnswer(stream), done]);
  const status = head.statusCode;
  if (status !== 200) return { status, prompt: '' };
  return { status, prompt: JSON.parse(JSON.parse(body).result).messages[0].content };
}

const configOf = (urls: readonly string[], transport: string) => ({
  model: 'generic-openai/mirror',
  tools: { mcpServers: urls.map((url, n) => ({ id: `s${n}`, url, transport })) },
});

/** The tests that agents reach no address of a corpus. @param corpus Some of it, or all. */
export function testAddresses(corpus: readonly string[]): void {
  const urlsOf = (port: number) => corpus.map((url) => url.replaceAll('PORT', String(port)));

  test('no address of the corpus is asked for a card: 400, or 502 for a name without an address', async () => {
    const tenant = await newTenant();
    const { port, connections } = await trap();
    const counts: Record<string, number> = {};
    for (const url of urlsOf(port)) {
      const fetched = await send(tenant, fetchCardOfAgent, { url });
      expect([400, 502], url).toContain(fetched.status);
      for (const member of ['agentCardUrl', 'endpoint']) {
        const body = { name: 'x', agentType: 'external', externalConfig: { [member]: url } };
        const saved = await send(tenant, createAgentEndpoint, body);
        expect([201, 400], url).toContain(saved.status);
        const what = saved.status === 400 ? 'not saved' : 'not refreshed';
        counts[what] = (counts[what] ?? 0) + 1;
        if (saved.status === 400) continue;
        const refreshed = await send(tenant, refreshAgentCard, {}, { id: saved.body.id });
        expect([400, 502], url).toContain(refreshed.status);
      }
      expect(connections(), url).toBe(0);
    }
    expect(counts['not saved']).toBeGreaterThan(corpus.length / 5);
    expect(counts['not refreshed']).toBeGreaterThan(corpus.length);
  }, 120_000);

  const cases = ['streamable_http', 'rest'].flatMap((transport) =>
    ['saved', 'runtime'].map((kind) => [transport, kind] as const),
  );

  test.each(cases)(
    '%s: no %s MCP server of the corpus is reached; the run goes on without it',
    async (transport, kind) => {
      const tenant = await newTenant();
      const { port, connections } = await trap();
      const usable: string[] = [];
      for (const url of urlsOf(port)) {
        const saved = await send(tenant, createAgentEndpoint, {
          name: 'x',
          config: configOf([url], transport),
        });
        expect([201, 400], url).toContain(saved.status);
        if (saved.status === 201) usable.push(url);
        else expect((await promptOf(tenant, { config: configOf([url], transport) })).status, url).toBe(400);
      }
      expect(usable.length).toBeGreaterThan(corpus.length / 2);
      for (const urls of toChunks(usable, 16)) {
        const config = configOf(urls, transport);
        const agent =
          kind === 'runtime'
            ? { config }
            : { id: (await send(tenant, createAgentEndpoint, { name: 'x', config })).body.id };
        const { status, prompt } = await promptOf(tenant, agent);
        expect(status).toBe(200);
        for (const [n, url] of urls.entries()) {
          expect(prompt, url).toContain(`The tools of the MCP server "s${n}" are not available`);
        }
        expect(connections(), urls.join()).toBe(0);
      }
    },
    120_000,
  );
}
