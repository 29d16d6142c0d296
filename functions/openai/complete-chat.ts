import { labelHeaders } from '../../shared/domain/runs/run-origin.ts';
import { verifiedCredential } from '../../shared/platform/auth/optional-credential.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { StartHeaders } from '../../shared/platform/http/start-headers.ts';
import { answererScope, readAccountAhead } from '../../shared/protocols/openai/answers/answerer.ts';
import { ChatCompletion, ChatCompletionChunk } from '../../shared/protocols/openai/chat/chat-completion.ts';
import { ChatCompletionRequest } from '../../shared/protocols/openai/chat/chat-request.ts';
import { completeChat } from '../../shared/protocols/openai/chat/complete-chat.ts';
import { openAiErrorBody } from '../../shared/protocols/openai/error-form.ts';
import { openAiStatuses } from './statuses.ts';

export const completeOpenAiChat = defineEndpoint({
  id: 'openai.complete-chat',
  method: 'POST',
  path: '/v1/openai/chat/completions',
  errorBody: openAiErrorBody,
  credential: verifiedCredential,
  permission: ['FLOWS:EXECUTE', 'AGENTS:EXECUTE'],
  summary: 'Complete a chat, in the form of OpenAI',
  description: `OpenAI's chat completions, for its packages and all that speak to them: set their base URL to \`/v1/openai\` of this service. \`model\` decides who answers.

- **A model**: \`default\`, the id of a model config, \`<provider>/<modelId>\` or a model of the catalog. Requires FLOWS:EXECUTE. You run the tools that it calls. The limits of its config and key, budgets and prices apply, and the call is a run in GET /v1/runs. Prompts and answers are not stored, except for a telemetry collector that gets contents, until it has them.
- **\`agent/<name or id>\`** requires AGENTS:EXECUTE. The agent runs with its own tools and settings, and answers \`messages\`. With \`response_format\` json_schema its answer fits the schema. Streamed, it also tells the texts of its earlier turns.
- **\`flow/<name or id>\`** requires FLOWS:EXECUTE. Its variables are \`message\`, the text of the last message of the user, and \`messages\`. Its answer is its output. Streamed, the text of a prompt at its end comes as it is written.

A test key runs drafts. Of several flows or agents with a name, the newest runs. Temperature and the like are those of the flow or agent, whatever the request says. A run that fails, or has to wait for somebody, is a 422, after which the packages of OpenAI do not run it again.

An error in a stream that has begun is a last \`data:\` line with \`error\`. Closing a stream aborts the call.`,
  headers: StartHeaders.extend(labelHeaders),
  body: ChatCompletionRequest,
  open: 'run',
  response: { kind: 'sse', events: ChatCompletionChunk, json: ChatCompletion },
  errors: [400, 402, 404, 409, 422, 502],
  statuses: openAiStatuses,
  needs: { scope: answererScope },

  readAhead: ({ body }, { scope }) => readAccountAhead(scope, body.model),

  handle: ({ body, timeLeftMs, ...call }, { scope }) =>
    completeChat(scope, { ...call, timeLeftMs: timeLeftMs() }, body),
});

export const handler = toStreamingLambda(completeOpenAiChat);
