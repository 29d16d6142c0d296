import type * as z from 'zod';
import type { McpRequest } from '../../../adapters/ports/mcp-port.ts';
import { mcpTool } from '../../../domain/tools/tool-types/mcp.ts';
import { authorization } from '../../step-support/http-auth.ts';
import { requestOf } from '../../step-support/http-request.ts';
import { mcpFailure } from '../../tool-support/mcp-failure.ts';
import { defineToolRunner, type ToolRun } from '../../tool-support/tool-runner.ts';
import { urlOf } from '../../tool-support/tool-url.ts';

const giveAuth = 'give "auth" or a header in the tool\'s config';

type Config = z.output<typeof mcpTool.config>;

export const mcp = defineToolRunner(mcpTool, {
  async run(call) {
    const { config, args, ports } = call;
    const request = await requestFor(call);
    const outcome = await ports.mcp.callTool({ ...request, toolName: config.toolName, args });
    if ('output' in outcome) return outcome;
    throw mcpFailure(outcome, config.toolName, giveAuth);
  },
  repeatable: () => false,
  async preview(call) {
    const { url, headers, timeoutMs } = await requestFor(call);
    return { url, headers, tool: call.config.toolName, arguments: call.args, timeoutMs };
  },
});

async function requestFor(call: ToolRun<Config>): Promise<McpRequest> {
  const { auth, timeoutMs: timeout, url, headers } = call.config;
  const isOAuth = auth?.type === 'oauth';
  const sent = isOAuth ? {} : await authorization(auth, call.render);
  const request = await requestOf({ url, headers, timeout }, call, {
    isTraced: true,
    url: await urlOf(call),
    headers: sent,
  });
  return {
    url: request.url,
    headers: request.headers,
    timeoutMs: request.timeoutMs,
    signal: call.signal,
    ...(isOAuth && { connectionId: auth.connectionId }),
  };
}
