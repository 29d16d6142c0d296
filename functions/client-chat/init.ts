import { notFound } from '../../shared/core/errors/errors.ts';
import { chatTargets } from '../../shared/domain/client-sessions/chat-targets.ts';
import { sessionStore } from '../../shared/domain/client-sessions/client-session.ts';
import { clientTokenStore } from '../../shared/domain/client-tokens/client-token-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { chatDisplay } from '../../shared/protocols/chat/chat-message.ts';
import { resumedChat } from '../../shared/protocols/chat/resumed-chat.ts';
import { byToken, tokenContext } from '../../shared/protocols/chat/visitor.ts';
import { InitBody, OpenedSession } from './schemas.ts';

export const openClientSession = defineEndpoint({
  id: 'client-chat.init',
  method: 'POST',
  path: '/v1/client/init',
  noIdempotencyKey:
    'Its response is a credential of the visitor, which nothing keeps: another session ends by itself',
  permission: 'public',
  scope: byToken,
  anyOrigin: true,
  summary: 'Open the chat of a page',
  description: `For pages that have a client token, or the \`surfaceId\` of a chat surface with a client token that allows their origin; no other credential.

- Returns the session with \`sessionId\` if it is a current one of the same token, page origin and target, and else a new one.
- A session that continues comes with the newest messages of its conversation, and with the \`executionId\` of an answer that is being given or waits: \`GET /v1/client/executions/{executionId}/events\` follows it.
- A session ends after the idle time of the token, or when the token is regenerated or deleted.
- \`flowId\` is the id of a flow or an agent that the token names (default: its default flow, then the first that it names, then the entry point of its surface).`,
  body: InitBody,
  response: { kind: 'json', bodies: { 200: OpenedSession } },
  errors: [400, 401, 403, 404],
  statuses: {
    401: 'The token is unknown, regenerated or deleted',
    403: 'The token is inactive or does not allow the origin of the page, the surface has no such token, or it is closed',
    404: 'The token does not name the flow, or it was deleted',
  },
  needs: {
    visit: tokenContext,
    targets: chatTargets,
    tokens: clientTokenStore,
    sessions: sessionStore,
    reload: resumedChat,
  },

  async handle({ body: { flowId, sessionId } }, { visit, targets, tokens, sessions, reload }) {
    const { targets: possible, behavior } = await targets.findOffer(visit.token);
    const resumed = sessionId === undefined ? undefined : await sessions.resume(sessionId, visit);
    const named = (wanted?: string) => possible.find(({ id }) => id === wanted);
    const target = flowId === undefined ? (named(resumed?.target.id) ?? possible[0]) : named(flowId);
    if (!target) throw notFound('Flow');
    const flow = await targets.describe(target);
    await tokens.markUsed(visit.token);
    const shown = { flow, config: chatDisplay(behavior, visit.token.config) };
    if (resumed && sessionId !== undefined && resumed.target.id === target.id) {
      return { sessionId, expiresAt: resumed.expiresAt, ...shown, ...(await reload(resumed)) };
    }
    const { id, expiresAt } = await sessions.open(visit, target);
    return { sessionId: id, expiresAt, ...shown, conversation: null, executionId: null };
  },
});

export const handler = toLambda(openClientSession);
