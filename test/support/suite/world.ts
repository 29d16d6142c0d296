import { deniedActions } from '../../../infra/local/runtime/lambda-grants.ts';
import { startStack } from '../../../infra/local/stack.ts';
import { startModels } from '../models/models.ts';
import { startFailingMcpServer } from '../servers/failing-mcp-server.ts';
import { startMcpServer } from '../servers/mcp-server.ts';
import { startOAuthServer } from '../servers/oauth-server.ts';
import { startOtlpReceiver } from '../servers/otlp-receiver.ts';
import { startWebhookReceiver } from '../servers/webhook-receiver.ts';
import { startShortPages } from '../stack/short-pages.ts';

/**
 * The process of the embedded stack, and of what stands in for the world: a model server, MCP servers, an OAuth server,
 * a receiver of webhooks and a collector of spans. Ends with the process that started it.
 */
process.env.LOG_LEVEL = 'warn';
const servers = new AsyncDisposableStack();
const models = servers.adopt(await startModels(), (server) => server.close());
process.env.GENERIC_OPENAI_BASE_URL = models.url;
const mcp = servers.adopt(await startMcpServer({ kind: 'session' }), (server) => server.close());
const failingMcp = servers.adopt(await startFailingMcpServer(), (server) => server.close());
const webhooks = servers.adopt(await startWebhookReceiver(), (server) => server.close());
const otlp = servers.adopt(await startOtlpReceiver(), (server) => server.close());
const oauth = servers.adopt(await startOAuthServer(), (server) => server.close());
// So that a tenant's own provider key and tools may name them.
const hosts = [new URL(models.url).host, mcp.host, failingMcp.host, webhooks.host, otlp.host, oauth.host];
process.env.LOCAL_ALLOWED_HOSTS = hosts.join(',');
const { PAGES_SEED } = process.env;
const shortPages = async (engine: string) =>
  servers.adopt(await startShortPages(engine, Number(PAGES_SEED)), (server) => server.close()).endpoint;
const { facts } = servers.adopt(
  await startStack({
    port: 0,
    ...(PAGES_SEED && { inFrontOfTable: shortPages }),
    onFailure(what) {
      throw new Error(what);
    },
  }),
  (stack) => stack.stop(),
);
// Agents of tests may call surfaces of the stack itself.
process.env.ALLOWED_HOSTS = [process.env.ALLOWED_HOSTS, new URL(facts.url).host].join(',');

/** What the tests are told. */
export interface World {
  provided: {
    stack: typeof facts;
    mcpUrl: string;
    failingMcpUrl: string;
    webhooksUrl: string;
    otlpUrl: string;
    oauthUrl: string;
  };
  /** That of the stack, for Lambdas that run in the tests' own processes. */
  environment: NodeJS.ProcessEnv;
}

const world: World = {
  provided: {
    stack: facts,
    mcpUrl: mcp.url,
    failingMcpUrl: failingMcp.url,
    webhooksUrl: webhooks.url,
    otlpUrl: otlp.url,
    oauthUrl: oauth.url,
  },
  environment: { ...process.env },
};
process.send?.(world);
// Ctrl-C reaches this process too, and vitest still needs it.
process.on('SIGINT', () => {});
process.once('disconnect', async () => {
  await servers.disposeAsync();
  // Also those whose error the code swallowed, so that no test saw it.
  for (const denied of deniedActions()) process.stderr.write(`A role lacks a right: ${denied}\n`);
  process.exit(deniedActions().length > 0 ? 1 : 0);
});
