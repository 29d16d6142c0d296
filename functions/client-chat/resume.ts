import { invalidAt } from '../../shared/core/errors/errors.ts';
import type { Message } from '../../shared/domain/conversations/message.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import type { ChatMessage } from '../../shared/protocols/chat/chat-message.ts';
import { continueAnswer } from '../../shared/protocols/chat/continue-answer.ts';
import { dropReasoning } from '../../shared/protocols/chat/conversation-messages.ts';
import { ClientEvent } from '../../shared/protocols/chat/events/client-event.ts';
import { ClientResult } from '../../shared/protocols/chat/events/client-events.ts';
import { pageTools } from '../../shared/protocols/chat/page-tools.ts';
import { bySessionToContinue, sessionContext } from '../../shared/protocols/chat/visitor.ts';
import { ResumeBody } from './continuation-schemas.ts';

export const resumeClientAnswer = defineEndpoint({
  id: 'client-chat.resume',
  method: 'POST',
  path: '/v1/client/resume',
  permission: 'public',
  scope: bySessionToContinue,
  anyOrigin: true,
  summary: 'Continue an answer with the outputs of tools of the page',
  description:
    'For a run of the same session that ended with `await`. The run continues when it has every output and approval that it waits for; until then the response repeats what is missing. `clientTools` replace those that the run began with; without them and a fingerprint they stay. It counts for the limits of the token. `messages` are added to the conversation and count for the session. 400 for an output that the run does not wait for. 401 and 403 as for messages. 404 for a run of another session. 409 if the run does not wait for this (any more), if the session stays busy, and `client_tools_resend_required` for an unknown fingerprint. A run whose output does not arrive within seven days fails.',
  body: ResumeBody,
  open: 'run',
  response: { kind: 'sse', events: ClientEvent, json: ClientResult },
  errors: [400, 401, 403, 404, 409, 503],
  needs: { visit: sessionContext, tools: pageTools, continued: continueAnswer },

  async handle({ body, signal, requestId, timeLeftMs }, { visit, tools, continued }) {
    const { executionId, toolOutputs, streamResponse: isStreamed } = body;
    const messages = body.messages?.map(texts);
    const clientTools = await tools.of(visit, body);
    const request = { isStreamed, requestId, timeLeftMs: timeLeftMs(), signal };
    return continued(visit, { executionId, toolOutputs, messages, clientTools, ...request });
  },
});

/** A page does not speak for the tenant or the agent. */
function texts(message: ChatMessage, index: number): Message {
  if (message.role === 'user') return { role: 'user', content: dropReasoning(message) };
  throw invalidAt(`messages.${index}.role`, 'INVALID_VALUE', 'Only texts of the user can be added to a run');
}

export const handler = toStreamingLambda(resumeClientAnswer);
