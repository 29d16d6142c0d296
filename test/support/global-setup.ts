import type { TestProject } from 'vitest/node';
import { type StackFacts, startStack } from '../../infra/local/stack.ts';
import { startFailingMcpServer } from './failing-mcp-server.ts';
import { startMcpServer } from './mcp-server.ts';
import { startModels } from './models.ts';
import { startOAuthServer } from './oauth-server.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackFacts;
    mcpUrl: string;
    failingMcpUrl: string;
    webhooksUrl: string;
    oauthUrl: string;
  }
}

/** One embedded stack in memory for the whole run, a model server, MCP servers, and a receiver of webhooks. The workers inherit its environment. */
export default async function setup(project: TestProject) {
  process.env.LOG_LEVEL = 'warn';
  const models = await startModels();
  process.env.GENERIC_OPENAI_BASE_URL = models.url;
  const mcp = await startMcpServer({ kind: 'session' });
  const failingMcp = await startFailingMcpServer();
  const webhooks = await startWebhookReceiver();
  const oauth = await startOAuthServer();
  // So that a tenant's own provider key and tools may name them.
  const hosts = [new URL(models.url).host, mcp.host, failingMcp.host, webhooks.host, oauth.host];
  process.env.LOCAL_ALLOWED_HOSTS = hosts.join(',');
  const stack = await startStack({
    port: 0,
    onFailure(what) {
      throw new Error(what);
    },
  });
  // Agents of tests may call surfaces of the stack itself.
  process.env.ALLOWED_HOSTS = [process.env.ALLOWED_HOSTS, new URL(stack.facts.url).host].join(',');
  project.provide('stack', stack.facts);
  project.provide('mcpUrl', mcp.url);
  project.provide('failingMcpUrl', failingMcp.url);
  project.provide('webhooksUrl', webhooks.url);
  project.provide('oauthUrl', oauth.url);
  return async () => {
    await stack.stop();
    await models.close();
    mcp.close();
    failingMcp.close();
    webhooks.close();
    oauth.close();
  };
}
