import { labelHeaders } from '../../shared/domain/runs/run-origin.ts';
import { verifiedCredential } from '../../shared/platform/auth/optional-credential.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { StartHeaders } from '../../shared/platform/http/start-headers.ts';
import { readAccountAhead } from '../../shared/protocols/openai/answers/answerer.ts';
import { openAiErrorBody } from '../../shared/protocols/openai/error-form.ts';
import { respond, responsesScope } from '../../shared/protocols/openai/responses/respond.ts';
import {
  OpenAiResponse,
  OpenAiResponseEvent,
} from '../../shared/protocols/openai/responses/response-schemas.ts';
import { ResponsesRequest } from '../../shared/protocols/openai/responses/responses-request.ts';
import { openAiStatuses } from './statuses.ts';

export const respondAsOpenAi = defineEndpoint({
  id: 'openai.respond',
  method: 'POST',
  path: '/v1/openai/responses',
  errorBody: openAiErrorBody,
  credential: verifiedCredential,
  permission: ['FLOWS:EXECUTE', 'AGENTS:EXECUTE'],
  summary: 'Create a response, in the form of OpenAI',
  description: `OpenAI's responses, for its packages: texts, images, files, tools of the caller, formats and streams. \`model\` decides who answers, with the same permissions and runs as in POST /v1/openai/chat/completions.

**Conversations.** Unless \`store\` is false, what was said is a conversation in GET /v1/conversations, and \`previous_response_id\` continues it, with the calls of tools and their results. Several responses may continue the same one: all but the first are conversations of their own. Whoever deletes a conversation deletes its responses. \`instructions\` are not stored.

Hosted tools (web search, files, code, MCP) are not supported: an agent has tools.`,
  headers: StartHeaders.extend(labelHeaders),
  body: ResponsesRequest,
  open: 'run',
  response: { kind: 'sse', events: OpenAiResponseEvent, json: OpenAiResponse },
  errors: [400, 402, 404, 409, 422, 502],
  statuses: {
    ...openAiStatuses,
    400: '`previous_response_not_found`: it was not stored, or its conversation was deleted',
  },
  needs: { scope: responsesScope },

  readAhead: ({ body }, { scope }) => readAccountAhead(scope, body.model),

  handle: ({ body, timeLeftMs, ...call }, { scope }) =>
    respond(scope, { ...call, timeLeftMs: timeLeftMs() }, body),
});

export const handler = toStreamingLambda(respondAsOpenAi);
