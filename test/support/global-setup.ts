import type { ProvidedContext } from 'vitest';
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

/**
 * One embedded stack in memory for the whole run, a model server, MCP servers, and a receiver of webhooks. The workers
 * inherit its environment. The projects share it: each calls this in the same process, and the last one stops it.
 */
export default async function setup(project: TestProject) {
  shared.users++;
  shared.world ??= startWorld();
  const { provided, stop } = await shared.world;
  for (const [name, value] of Object.entries(provided)) project.provide(name as keyof ProvidedContext, value);
  return async () => {
    if (--shared.users === 0) await stop();
  };
}

interface Shared {
  users: number;
  world?: ReturnType<typeof startWorld>;
}

/** Each project loads this file anew, in one process. */
const holder = globalThis as { testWorld?: Shared };
holder.testWorld ??= { users: 0 };
const shared = holder.testWorld;

async function startWorld() {
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
  const provided = {
    stack: stack.facts,
    mcpUrl: mcp.url,
    failingMcpUrl: failingMcp.url,
    webhooksUrl: webhooks.url,
    oauthUrl: oauth.url,
  };
  const stop = async () => {
    await stack.stop();
    await models.close();
    mcp.close();
    failingMcp.close();
    webhooks.close();
    oauth.close();
  };
  return { provided, stop };
}
