import { ClaimRefused } from '../../domain/client-sessions/chat-turns.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { conversationMessages, type NewChatMessage } from './conversation-messages.ts';
import { type OpenTurn, openTurn } from './open-turn.ts';
import type { SessionContext } from './visitor.ts';

/**
 * Begins a turn with a new message, in one transaction if the session is free.
 * @throws 401 for a session that ended, 409 for one that stays busy or has the message, which then does not count; 429 for
 * one without messages left.
 */
export const beginMessage = /* @__PURE__ */ using([openTurn, conversationMessages], (scope: Scope) => {
  const turns = openTurn(scope);
  type Options = Omit<Parameters<typeof turns.begin>[1], 'messages'>;

  const add = async (visit: SessionContext, turn: OpenTurn, newMessage: NewChatMessage) => {
    const added = await conversationMessages(scope).addMessage(
      { ...visit, session: turn.session },
      turn,
      newMessage,
    );
    return { turn, ...added };
  };

  return async (visit: SessionContext, options: Options, newMessage: NewChatMessage) => {
    const claimed = turns.claim(visit);
    // Another request may have the session now: then wait for its turn.
    const begun = claimed && (await add(visit, claimed, newMessage).catch(ignoreRefusedClaim));
    if (begun) return begun;
    const turn = await turns.begin(visit, { ...options, messages: 1 });
    return add(visit, turn, newMessage).catch(async (error) => {
      await turn.end();
      throw error;
    });
  };
});

function ignoreRefusedClaim(error: unknown): undefined {
  if (!(error instanceof ClaimRefused)) throw error;
}
