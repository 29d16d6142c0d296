import { chatTargets } from '../../shared/domain/client-sessions/chat-targets.ts';
import { clientTokenStore } from '../../shared/domain/client-tokens/client-token-store.ts';
import { assertMessageFits } from '../../shared/domain/conversations/message-writes.ts';
import { recentModelAccount } from '../../shared/domain/model-configs/select-model.ts';
import { targetScope } from '../../shared/execution/targets/start-target.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { assertAttached, type ChatMessage } from '../../shared/protocols/chat/chat-message.ts';
import {
  type Asked,
  conversationMessages,
  dropReasoning,
} from '../../shared/protocols/chat/conversation-messages.ts';
import { ClientEvent } from '../../shared/protocols/chat/events/client-event.ts';
import { chatView } from '../../shared/protocols/chat/events/client-events.ts';
import { beginMessage } from '../../shared/protocols/chat/open-turn.ts';
import { pageTools } from '../../shared/protocols/chat/page-tools.ts';
import { prepareAnswer } from '../../shared/protocols/chat/prepare-answer.ts';
import {
  assertNamed,
  bySessionToAnswer,
  sessionContext,
  sessionVisitor,
  tokenMeter,
} from '../../shared/protocols/chat/visitor.ts';
import { ChatBody } from './schemas.ts';

export const sendClientMessage = defineEndpoint({
  id: 'client-chat.send',
  method: 'POST',
  path: '/v1/client/chat',
  permission: 'public',
  scope: bySessionToAnswer,
  anyOrigin: true,
  summary: 'Send a message in the chat of a page',
  description: `Adds the last of \`messages\` to the conversation of the session, runs the flow or the agent of the session on the conversation, and responds with server-sent events: the texts of the answer, the names of the tools that it calls, and its end. The answer is in the conversation before \`execution_complete\` is sent.

- A session answers one message at a time, in the order in which they came. Another one waits up to 20 seconds, also when its page has gone, or ends the former answer with \`submitMode\` interrupt.
- An interrupted or failed answer is not in the conversation.
- An answer goes on when its page has gone, until the next message.
- One that waits for a tool of the page or for an approval ends with \`await\`; \`resume\` and \`approve\` continue it.`,
  body: ChatBody,
  open: 'run',
  takesPlace: true,
  response: { kind: 'sse', events: ClientEvent },
  errors: [400, 401, 402, 403, 404, 409, 503],
  statuses: {
    401: 'The session is unknown, has ended, or belongs to a page of another origin',
    403: 'The token is inactive or does not allow the origin, or its surface is closed',
    404: 'The flow or the agent was deleted',
    409: 'The session stays busy or many messages wait already, the conversation has a message of that id, the flow has no steps, or (`client_tools_resend_required`) the fingerprint of tools is unknown',
    429: 'For the limits of the token per minute and hour, of the session, and of the visitor’s network (half of those of the token, but at least 10 messages a minute and 50 an hour)',
  },
  needs: {
    visit: sessionContext,
    targets: chatTargets,
    tokens: clientTokenStore,
    tools: pageTools,
    countForToken: tokenMeter,
    begin: beginMessage,
    conversations: conversationMessages,
    scope: targetScope,
  },

  readAhead: (_request, { scope, conversations, visit }) => {
    void recentModelAccount(scope, visit.accountRevision);
    conversations.readAhead(visit);
  },

  async handle({ body, signal, requestId, timeLeftMs }, needs) {
    const { visit, targets, tokens, tools, countForToken, begin, scope } = needs;
    const { token } = visit;
    const { target } = visit.session;
    const owner = sessionVisitor(visit);
    const message = body.messages.at(-1) as ChatMessage;
    const place = body.messages.length - 1;
    assertAttached(message, place);
    // Before there is a conversation for it.
    assertMessageFits({ content: dropReasoning(message) }, place);
    await assertNamed(targets, visit);
    const clientTools = await tools.of(visit, body);
    await countForToken(visit);
    await tokens.markUsed(token);
    const interrupts = body.submitMode === 'interrupt';
    const { inputs, metadata, assistantMessageId: answerId = scope.newId('msg') } = body;
    const executionId = scope.newId('exec');
    const draft = { executionId, answerId, message, metadata };
    const chatRun = { executionId, target, owner, inputs, requestId, token };
    const prepare = ({ messages, ...earlier }: Asked) =>
      prepareAnswer(scope, {
        ...chatRun,
        messages,
        timeLeftMs: timeLeftMs(),
        forAgent: { ...earlier, clientTools },
      });
    const { turn, run, started } = await begin(visit, { interrupts, signal }, draft, prepare);
    try {
      if (started.status === 'rejected') throw started.reason;
      return turn.respond(run, started.value.eventsFor, chatView(token, { tools: clientTools }));
    } catch (error) {
      await turn.end();
      throw error;
    }
  },
});

export const handler = toStreamingLambda(sendClientMessage);
