import { agentEntity } from '../../shared/domain/agents/agent.ts';
import type { ClientSession } from '../../shared/domain/client-sessions/client-session.ts';
import { clientTokenEntity } from '../../shared/domain/client-tokens/client-token.ts';
import { conversationEntity } from '../../shared/domain/conversations/conversation.ts';
import { flowEntity } from '../../shared/domain/flows/flow.ts';
import { decodeReadable } from '../../shared/platform/data/entity.ts';
import { alreadyRead } from '../../shared/platform/data/read-ahead.ts';
import { tenantOf } from '../../shared/platform/identity/principal.ts';
import type { Runtime } from '../../shared/platform/runtime.ts';

/**
 * The token of a session, and a scope that has read its conversation and, to start an answer, its target: in one request.
 */
export async function readForSession(session: ClientSession, runtime: Runtime, startsAnswer: boolean) {
  const { tokenId, conversationId, target } = session;
  const scope = runtime.scopeOf(tenantOf(session.userId, session.organizationId));
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
