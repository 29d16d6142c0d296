import { agentEntity } from '../../../domain/agents/config/agent.ts';
import type { ClientSession } from '../../../domain/client-sessions/client-session.ts';
import { clientTokenEntity } from '../../../domain/client-tokens/client-token.ts';
import { conversationEntity } from '../../../domain/conversations/conversation.ts';
import { flowEntity } from '../../../domain/flows/flow.ts';
import { decodeReadable } from '../../../platform/data/entity.ts';
import { alreadyRead } from '../../../platform/data/read-ahead.ts';
import { toTenant } from '../../../platform/identity/principal.ts';
import type { Runtime } from '../../../platform/runtime.ts';

/** The token of a session, and a scope that has read its conversation and, to start an answer, its target: in one request. */
export async function readForSession(session: ClientSession, runtime: Runtime, startsAnswer: boolean) {
  const { tokenId, conversationId, target } = session;
  const scope = runtime.scopeOf(toTenant(session.userId, session.organizationId));
  const ofTarget = target.kind === 'flow' ? flowEntity : agentEntity;
  const ahead = [
    ...(startsAnswer ? [ofTarget.key({ id: target.id })] : []),
    ...(conversationId ? [conversationEntity.key({ id: conversationId })] : []),
  ];
  const keys = [clientTokenEntity.key({ id: tokenId }), ...ahead];
  const [found, ...items] = await scope.table.getMany(keys, { consistent: true });
  const [token] = found ? decodeReadable(clientTokenEntity, [found]) : [];
  return {
    token,
    scope: alreadyRead(
      scope,
      ahead.map((key, at) => [key, items[at]]),
    ),
  };
}
