import { heldTurns } from '../../shared/domain/client-sessions/held-turns.ts';
import type { SessionRun } from '../../shared/domain/client-sessions/session-run.ts';
import type { RunUsage } from '../../shared/domain/conversations/conversation-usage.ts';
import { followRun } from '../../shared/execution/agent-runs/follow-run.ts';
import { findExecution, loadInput } from '../../shared/execution/agent-runs/load-run.ts';
import { using } from '../../shared/platform/aws/uses.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { agentEvents } from '../../shared/protocols/sse/agent-events.ts';
import { chatConversations } from './chat-conversations.ts';
import { clientEvents, type SentEvent } from './client-events.ts';
import type { Cursor } from './cursor.ts';
import { flowAnswer } from './flow-answer.ts';
import { viewOf } from './view-of.ts';
import type { SessionVisit } from './visitor.ts';

interface Reader {
  after: Cursor | undefined;
  pageGone: AbortSignal;
  /** Aborted when the process has to stop. */
  timeout: AbortSignal;
}

/** Yields the events of an answer that another request began. */
export const followAnswer = /* @__PURE__ */ using(
  [heldTurns, chatConversations, flowAnswer, 'table:write', 'payloads'],
  (scope: Scope) =>
    async function* follow(
      { token, session }: SessionVisit,
      run: SessionRun,
      { after, pageGone, timeout }: Reader,
    ): AsyncGenerator<SentEvent, void> {
      const { hash, turnId } = session;
      const isUnsettled = session.runId === run.executionId;
      const isCurrent = isUnsettled && turnId !== undefined;
      const signal = AbortSignal.any([pageGone, timeout]);
      const reading = isCurrent ? await heldTurns(scope).readAlong(hash, turnId) : undefined;
      try {
        yield* run.target.kind === 'flow'
          ? flowAnswer(scope)(run, after, signal)
          : agentAnswer(scope, run, { token, after, isUnsettled, signal });
      } finally {
        reading?.stop();
      }
    },
);

interface AgentReader extends Pick<Reader, 'after'>, Pick<SessionVisit, 'token'> {
  /** Whether the conversation may lack the answer. */
  isUnsettled: boolean;
  signal: AbortSignal;
}

async function* agentAnswer(
  scope: Scope,
  run: SessionRun,
  { token, after, isUnsettled, signal }: AgentReader,
): AsyncGenerator<SentEvent, void> {
  const execution = await findExecution(scope, run.executionId);
  const { input } = await loadInput(scope, execution);
  // All events, since the end depends on what was shown before.
  const events = agentEvents(followRun(scope, run.executionId, -1, signal));
  const answer = {
    async store(text: string, used: RunUsage) {
      // The tenant may have removed an answer that was stored before.
      if (isUnsettled) await chatConversations(scope).addLateAnswer(run, text, used);
      return true;
    },
    // The request that has the turn does.
    count: async () => {},
    isInterrupted: () => false,
  };
  yield* clientEvents(events, answer, { ...viewOf(token, { tools: input.clientTools }), after });
}
