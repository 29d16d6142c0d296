import { respondToMessage, runningMethods } from '../../shared/adapters/mcp-server/respond.ts';
import { addressRelay } from '../../shared/platform/auth/relayed-address.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { apiClient } from '../../shared/protocols/api-mcp/api-client.ts';
import { loadOperations } from '../../shared/protocols/api-mcp/operations.ts';
import { apiResources } from '../../shared/protocols/api-mcp/resources.ts';
import { apiTools, callApiTool } from '../../shared/protocols/api-mcp/tools.ts';
import { assertOrigin } from '../../shared/protocols/mcp/assert-origin.ts';
import { mcpHeaders } from '../surface-mcp/paths.ts';
import { JsonRpcMessage, JsonRpcResponse, mcpErrors } from '../surface-mcp/schemas.ts';

const id = 'api-mcp.serve';

export const serveApiMcp = defineEndpoint({
  id,
  method: 'POST',
  path: '/v1/mcp',
  noIdempotencyKey: 'MCP gives requests ids of their own; call_operation takes a key for the call',
  refusedMethods: ['GET', 'DELETE'],
  requestHeaders: mcpHeaders,
  permission: 'authenticated',
  summary: 'Use this API as an MCP server',
  description: `An MCP server by streamable HTTP, without sessions, with which an assistant builds, mends and runs flows and agents. It speaks the protocols 2026-07-28, 2025-11-25 and 2025-06-18.

**Tools**

- \`search_operations { query }\` finds operations of this API by words.
- \`describe_operation { id, schemas? }\` says how one is called, and whether it deletes (\`destructive\`).
- \`call_operation { id, path?, query?, body?, idempotencyKey? }\` calls it. The result has its status and body; a longer body than 100,000 characters is cut.

**Resources**: \`flow:{id}\`, \`agent:{id}\` and \`run:{id}\`, as GET returns them.

Each call of an operation is a request of its own with your credential: it has the permissions of the credential, counts for its rate limits, and comes from your address.`,
  body: JsonRpcMessage,
  exactNumbers: true,
  open: ({ body }) => (runningMethods.has(body.method ?? '') ? 'run' : 'brief'),
  response: { kind: 'stream', mediaType: 'application/json', body: JsonRpcResponse, emptyStatus: 202 },
  protocolErrors: mcpErrors,
  errors: [400],
  statuses: {
    403: 'Also if a page of an origin calls that the deployment does not allow',
  },
  needs: { relay: addressRelay },

  async handle({ body, header, timeLeftMs, requestId, baseUrl, signal, sourceIp }, { relay }) {
    assertOrigin(header('origin'), baseUrl());
    const authorization = header('authorization') ?? '';
    const api = apiClient(baseUrl(), authorization, () => relay({ authorization, sourceIp }));
    const limit = AbortSignal.timeout(Math.max(1_000, timeLeftMs() - 2_000));
    const served = {
      name: 'Agent and Flow Automation Service',
      tools: {
        all: apiTools,
        call: async (name: string, args: Record<string, unknown>, gone: AbortSignal) => {
          const operations = await loadOperations(baseUrl(), id);
          return callApiTool({ operations, api }, name, args, AbortSignal.any([gone, limit]));
        },
      },
      resources: apiResources(api, AbortSignal.any([signal, limit])),
    };
    return respondToMessage({ url: `${baseUrl()}/v1/mcp`, header, message: body }, served, requestId);
  },
});

export const handler = toStreamingLambda(serveApiMcp);
