import type { SessionRun } from '../../domain/client-sessions/session-run.ts';
import { turnLeases } from '../../domain/client-sessions/turn-leases.ts';
import type { ConversationUsage } from '../../domain/conversations/conversation-usage.ts';
import { followRun } from '../../execution/agent-runs/follow-run.ts';
import { findExecution, loadInput } from '../../execution/agent-runs/run-log.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentEvents } from '../run-events/agent-events.ts';
import { conversationMessages } from './conversation-messages.ts';
import { type ClientSentEvent, clientEvents } from './events/client-events.ts';
import type { Cursor } from './events/cursor.ts';
import { chatView } from './events/view-of.ts';
import { flowAnswer } from './follow-flow-answer.ts';
import type { SessionContext } from './visitors/visitor.ts';

interface Reader {
  after: Cursor | undefined;
  pageGone: AbortSignal;
  /** Aborted when the process has to stop. */
  timeout: AbortSignal;
}

/** Yields the events of an answer that another request began. */
export const followAnswer = /* @__PURE__ */ using(
  [turnLeases, conversationMessages, flowAnswer, 'table:write', 'payloads:read', 'payloads:write'],
  (scope: Scope) =>
    async function* follow(
      { token, session }: SessionContext,
      run: SessionRun,
      { after, pageGone, timeout }: Reader,
    ): AsyncGenerator<ClientSentEvent, void> {
      const { hash, turnId } = session;
      const isUnsettled = session.runId === run.executionId;
      const isCurrent = isUnsettled && turnId !== undefined;
      const signal = AbortSignal.any([pageGone, timeout]);
      const reading = isCurrent ? await turnLeases(scope).readAlong(hash, turnId) : undefined;
      try {
        yield* run.target.kind === 'flow'
          ? flowAnswer(scope)(run, after, signal)
          : agentAnswer(scope, run, { token, after, isUnsettled, signal });
      } finally {
        reading?.stop();
      }
    },
);

interface AgentReader extends Pick<Reader, 'after'>, Pick<SessionContext, 'token'> {
  /** Whether the conversation may lack the answer. */
  isUnsettled: boolean;
  signal: AbortSignal;
}

async function* agentAnswer(
  scope: Scope,
  run: SessionRun,
  { token, after, isUnsettled, signal }: AgentReader,
): AsyncGenerator<ClientSentEvent, void> {
  const execution = await findExecution(scope, run.executionId);
  const { input } = await loadInput(scope, execution);
  // All events, since the end depends on what was shown before.
  const events = agentEvents(followRun(scope, run.executionId, -1, signal));
  const answer = {
    async store(text: string, used: ConversationUsage) {
      // The tenant may have removed an answer that was stored before.
      if (isUnsettled) await conversationMessages(scope).addLateAnswer(run, text, used);
      return true;
    },
    // The request that has the turn does.
    count: async () => {},
    isInterrupted: () => false,
  };
  yield* clientEvents(events, answer, { ...chatView(token, { tools: input.clientTools }), after });
}
