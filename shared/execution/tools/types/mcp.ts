import { getTraceHeaders } from '../../../core/active-span.ts';
import { mcpTool } from '../../../domain/tools/tool-types/mcp.ts';
import { authorization, renderHeaders, requestTimeoutMs } from '../../step-support/http-request.ts';
import { describeMcpFailure } from '../../tool-support/mcp-failure.ts';
import { renderToolUrl } from '../../tool-support/send.ts';
import { defineToolRunner } from '../../tool-support/tool-runner.ts';

const giveAuth = 'give "auth" or a header in the tool\'s config';

export const mcpToolRunner = defineToolRunner(mcpTool, {
  async plan(call) {
    const { auth, headers = {}, toolName } = call.config;
    const isOAuth = auth?.type === 'oauth';
    const credentials = isOAuth ? {} : await authorization(auth, call.render);
    return {
      request: {
        url: await renderToolUrl(call),
        headers: { ...(await renderHeaders(headers, call.render)), ...credentials },
        toolName,
        args: call.args,
        ...(isOAuth && { connectionId: auth.connectionId }),
      },
    };
  },
  async perform({ headers, ...request }, { config: { timeoutMs: timeout }, ports, signal, callId }) {
    const outcome = await ports.mcp.callTool({
      ...request,
      callId,
      headers,
      context: getTraceHeaders(),
      timeoutMs: requestTimeoutMs({ timeout }),
      signal,
    });
    if ('output' in outcome) return outcome;
    throw describeMcpFailure(outcome, request.toolName, giveAuth);
  },
  repeatable: () => false,
  shown: ({ url, headers, toolName: tool, args }, { timeoutMs: timeout }) => ({
    url,
    headers,
    tool,
    arguments: args,
    timeoutMs: requestTimeoutMs({ timeout }),
  }),
});
