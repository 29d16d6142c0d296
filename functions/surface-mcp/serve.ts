import { respondToMessage, runningMethods } from '../../shared/adapters/mcp-server/respond.ts';
import { depthHeader } from '../../shared/core/agent-depth.ts';
import { notFound } from '../../shared/core/errors/errors.ts';
import { assertOpen, availableItems, exposedItems } from '../../shared/domain/surfaces/exposed-item.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { assertOrigin } from '../../shared/protocols/mcp/assert-origin.ts';
import { serveItems } from '../../shared/protocols/mcp/serve-items.ts';
import { selectOffer } from '../../shared/protocols/mcp/tools.ts';
import { readLastFlowAhead, surfaceRunScope } from '../../shared/protocols/surface/start-exposed.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { keyOrSession } from './caller.ts';
import { mcpHeaders, mcpPath } from './paths.ts';
import { JsonRpcMessage, JsonRpcResponse, mcpErrors } from './schemas.ts';

/** The methods that list items. */
const listing: ReadonlySet<string | undefined> = new Set(['tools/list', 'prompts/list']);

export const serveMcp = defineEndpoint({
  id: 'surface-mcp.serve',
  method: 'POST',
  path: mcpPath,
  noIdempotencyKey: 'MCP gives requests ids of their own',
  refusedMethods: ['GET', 'DELETE'],
  requestHeaders: mcpHeaders,
  permission: 'public',
  scope: keyOrSession,
  accepts: ['surface-key'],
  summary: 'Call an mcp surface',
  description: `The endpoint of an MCP server by streamable HTTP, without sessions. It speaks the protocols 2026-07-28, 2025-11-25 and 2025-06-18, without batches.

**Tools.** Each enabled item that the credential may run, and whose flow or agent exists, is a tool.

- Its name is the \`exposedName\` of the item if that has only letters, digits, \`_\`, \`-\` and \`.\`, else its slug.
- Its description is that of the item, or else of the capability, or else of the flow or agent.
- Its arguments are the parameters of the capability.
- The output of a run is a text, and structured content if it is an object. A stored file is a link; images and sounds of at most 1 MB are content too. An output \`{ content: [...] }\` with content blocks of the protocol is passed on.

**Prompts.** An item with \`config.offeredAs\` "prompt" is a prompt instead.

- Its run gives the text, or several messages as \`{ messages: [{ role, content }] }\`.
- Arguments of prompts are texts; where the schema wants another type, they hold its JSON.

**Resources.** The records of the types that \`behavior.resources.recordTypes\` of the surface names, read-only.

- \`record:{type}/{name}\` has the type, name, metadata, messages and times of a record as JSON.
- A list has at most 50 entries a page.
- \`completion/complete\` suggests types and names, and the values that the schema of a prompt's argument lists.

**Responses**

- A call of a tool or a prompt: server-sent events, with progress if the request has a \`progressToken\`, and the result.
- All other messages: JSON. Messages without an id get a 202.
- Wrong arguments and failed runs of tools are results with \`isError\`, of prompts JSON-RPC errors. Malformed parameters of a method are the error -32602, which names each.
- Closing the connection cancels the run.

**Credentials**

- An API key or a session needs \`PRODUCTS:EXECUTE\`, or the EXECUTE permission of what it runs, and \`RECORDS:READ\` for resources.
- A key of the surface with scopes has no resources.
- OAuth clients find the issuer of sessions by the metadata at \`/.well-known/oauth-protected-resource\` and the path of the surface.`,
  params: SurfaceParams,
  body: JsonRpcMessage,
  exactNumbers: true,
  open: ({ body }) => (runningMethods.has(body.method ?? '') ? 'run' : 'brief'),
  response: { kind: 'stream', mediaType: 'application/json', body: JsonRpcResponse, emptyStatus: 202 },
  protocolErrors: mcpErrors,
  errors: [400, 404, 503],
  statuses: {
    403: 'Also if a page of an origin calls that the deployment does not allow, if the surface is paused, or is a draft and the key is no test key',
    404: 'Also if the surface is of another type',
  },
  needs: { scope: surfaceRunScope },

  async handle({ params, body, principal, header, timeLeftMs, requestId, baseUrl }, { scope: surfaceScope }) {
    assertOrigin(header('origin'), baseUrl());
    const scope = readLastFlowAhead(surfaceScope, params.surfaceId, String(body.params?.name));
    const { surface, exposed } = await exposedItems(scope).findSurface(params.id, params.surfaceId);
    if (surface.type !== 'mcp') throw notFound('MCP server');
    assertOpen(surface, principal);
    const offer = selectOffer(surface, exposed, principal);
    // Calls of the others say what was deleted.
    const listed = listing.has(body.method) ? await availableItems(scope)(offer.items) : offer.items;
    const call = { principal, isStreamed: false, requestId, timeLeftMs: timeLeftMs() };
    const depth = header(depthHeader);
    const served = serveItems(scope, { surface, exposed, offer, listed, call, depth });
    return respondToMessage({ url: `${baseUrl()}/mcp`, header, message: body }, served, requestId);
  },
});

export const handler = toStreamingLambda(serveMcp);
