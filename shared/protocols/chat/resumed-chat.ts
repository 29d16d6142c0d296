import { ifMissing } from '../../core/errors/errors.ts';
import type { ClientSession } from '../../domain/client-sessions/client-session.ts';
import { turnLease } from '../../domain/client-sessions/turn-state.ts';
import { conversationStore } from '../../domain/conversations/conversation-store.ts';
import { messagePages } from '../../domain/conversations/message-pages.ts';
import { executionEntity } from '../../execution/runs/execution.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { toShownConversation } from './chat-message.ts';
import { settledRuns } from './settled-runs.ts';

const shownMessages = 50;

export const resumedChat = /* @__PURE__ */ using(
  [conversationStore, messagePages, settledRuns],
  (scope: Scope) => {
    /** The run of an answer that is being given, or waits for the page. */
    async function findOpenRun(session: ClientSession): Promise<string | null> {
      const { hash, runId } = session;
      if (runId === undefined) return null;
      const status = await settledRuns(scope)
        .settle(hash, runId)
        .catch(ifMissing('failed' as const));
      if (status !== undefined) return status === 'running' || status === 'paused' ? runId : null;
      // The process of a flow may have died.
      if (turnLease.isHeld(session, scope.now())) return runId;
      const execution = await scope.table.get(executionEntity, { id: runId }, { consistent: true });
      return execution?.paused ? runId : null;
    }

    return async (session: ClientSession) => {
      const { conversationId } = session;
      if (conversationId === null) return { conversation: null, executionId: null };
      // First, since it may add an answer.
      const executionId = await findOpenRun(session);
      const conversation = await conversationStore(scope).find(conversationId).catch(ifMissing(undefined));
      if (!conversation) return { conversation: null, executionId: null };
      const page = await messagePages(scope).readBefore(conversation, { limit: shownMessages });
      return { conversation: toShownConversation(conversation, page), executionId };
    };
  },
);
