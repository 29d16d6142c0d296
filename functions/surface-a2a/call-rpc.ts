import { rpcErrorBody } from '../../shared/adapters/a2a-server/error-bodies.ts';
import { followingMethods, respondToRpc, sendingMethods } from '../../shared/adapters/a2a-server/respond.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { a2aScope, openSurface, readSurfaceAhead } from '../../shared/protocols/a2a/open-surface.ts';
import { a2aHeaders, a2aPath } from '../../shared/protocols/a2a/parameters.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { keyOrUser } from './caller.ts';
import { A2aRequestBody, A2aResponse } from './schemas.ts';

export const callA2a = defineEndpoint({
  id: 'surface-a2a.call-rpc',
  method: 'POST',
  path: a2aPath,
  noIdempotencyKey: 'A2A gives messages ids of their own',
  requestHeaders: a2aHeaders,
  errorBody: rpcErrorBody,
  permission: 'public',
  scope: keyOrUser,
  accepts: ['surface-key'],
  summary: 'Call an a2a surface by JSON-RPC',
  description: `The JSON-RPC binding of an A2A agent, in the versions 1.0 and 0.3 (header \`A2A-Version\`; without it, the name of the method tells).

**Skills.** Each enabled item that the credential may run is a skill.

- A message is for the skill that \`metadata.skillId\` of the message names by its slug; without it for the entry point of the surface, or its only item.
- The members of data parts are the parameters of the capability, and the text is its parameter \`message\`, or the only text that is missing. Agents also take files.

**Tasks.** A task is a run. It does not end with the connection.

- Follow it with \`SubscribeToTask\` or \`GetTask\`, or end it with \`CancelTask\`.
- Messages of the same context continue the conversation: each run gets what was said in the finished tasks of the context.
- A context and a task belong to the key of the surface that began them, or to the user of an API key or a session; to all others they do not exist.
- A message that is sent again, with the same \`messageId\` and content, gives the task that it began, and runs nothing; the id with other content is an error.

**Questions**

- A task that waits for a tool that the caller executes is \`input-required\`. Its status message lists the calls as data.
- A task that waits for an approval is \`working\`, which its status message says, until the tenant decides; with \`behavior.approvals\` of the surface it is \`input-required\` too, and the caller decides.
- Answer with a message of the same \`taskId\`: a data part with \`toolOutputs\` by \`toolCallId\`, or with \`decisions\`; to a single question also plain text or other data.

An API key or a session needs \`PRODUCTS:EXECUTE\`, or the EXECUTE permission of what it runs. Failures other than those below are errors of JSON-RPC, with the status 200.`,
  params: SurfaceParams,
  body: A2aRequestBody,
  exactNumbers: true,
  open: ({ body: { method } }) =>
    sendingMethods.has(method) ? 'run' : followingMethods.has(method) ? 'reader' : 'brief',
  response: { kind: 'stream', mediaType: 'application/json', body: A2aResponse },
  errors: [400, 404, 422, 503],
  statuses: {
    403: 'Also if the surface is paused, or is a draft and the key is no test key',
    404: 'Also if the surface is of another type',
    422: 'Agents call each other more than five levels deep',
  },
  needs: { scope: a2aScope },

  readAhead: (request, { scope }) => readSurfaceAhead(scope, request),

  async handle({ body, ...request }, { scope }) {
    const { header, requestId } = request;
    const { agent, gone } = await openSurface(scope, request);
    return respondToRpc({ message: body, version: header('a2a-version'), requestId, gone }, agent);
  },
});

export const handler = toStreamingLambda(callA2a);
