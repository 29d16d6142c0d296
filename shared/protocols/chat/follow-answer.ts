/**
 * Yields the events of an answer that another request began, from where the page's cursor is.
 * The answer of an agent is read from the log of its run, and stored if its own request did not. A flow has no log: its
 * answer is polled from the session and the conversation, with pings, until its turn ends or another one replaces it.
 * While the current turn is read, it counts as watched (`turnLeases`); leaving stops that and nothing else.
 * `functions/client-chat/events.ts` calls it; cursors are in `chat/events/cursor.ts`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Spending } from '../../adapters/ports/spending.ts';
import {
  type ClientSession,
  clientSessionEntity,
  type SessionRun,
} from '../../domain/client-sessions/client-session.ts';
import { turnLease, turnLeases } from '../../domain/client-sessions/turn-state.ts';
import { conversationStore } from '../../domain/conversations/conversation-store.ts';
import { type Message, messageText } from '../../domain/conversations/message.ts';
import { messagePages } from '../../domain/conversations/message-pages.ts';
import { followRun } from '../../execution/agent-runs/follow-run.ts';
import { findExecution, loadInput } from '../../execution/agent-runs/run-log.ts';
import { executionEntity } from '../../execution/runs/execution.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { pingEveryMs } from '../../platform/http/responses/streamed-body.ts';
import { agentEvents } from '../run-events/agent-events.ts';
import { conversationMessages } from './conversation-messages.ts';
import type { ClientEventBody } from './events/client-event.ts';
import {
  type ClientSentEvent,
  chatView,
  clientEvents,
  failureEvent,
  toTextEvents,
} from './events/client-events.ts';
import { type Cursor, cursorText, flowEndSeq, restOfText } from './events/cursor.ts';
import type { SessionContext } from './visitor.ts';

const pollMs = 500;
/** More than a session adds while a page is away for a moment. */
const searchedMessages = 20;

/** A run of a flow has no log: its answer comes from the conversation, once its turn has ended. */
const flowAnswer = /* @__PURE__ */ using([conversationStore, messagePages], (scope: Scope) => {
  const { table, now } = scope;

  /** @returns the turn that gives the answer; another one, if a later message interrupted it; undefined after the end. */
  async function findTurn({ hash }: SessionRun): Promise<ClientSession | undefined> {
    const session = await table.get(clientSessionEntity, { hash }, { consistent: true });
    return session && turnLease.isHeld(session, now()) ? session : undefined;
  }

  async function findAnswer({ conversationId, answerId }: SessionRun): Promise<string | undefined> {
    const conversation = await conversationStore(scope).find(conversationId);
    const { messages } = await messagePages(scope).readBefore(conversation, { limit: searchedMessages });
    const answer = messages.find(({ id, content }) => id === answerId && content !== null);
    return answer && messageText(answer as Message);
  }

  async function createBodies(
    run: SessionRun,
    after: Cursor | undefined,
    isReplaced: boolean,
  ): Promise<ClientEventBody[]> {
    const kind = 'flow' as const;
    const execution = await table.get(executionEntity, { id: run.executionId }, { consistent: true });
    if (execution?.paused) {
      const { toolCallId, toolName } = execution.paused;
      const awaitedAt = now().toISOString();
      return [{ type: 'await', awaitReason: 'local_tool', awaitedAt, toolCallId, toolName }];
    }
    const finalOutput = await findAnswer(run);
    if (finalOutput === undefined) return [failureEvent(kind, isReplaced ? 'INTERRUPTED' : 'FAILED')];
    const completedAt = now().toISOString();
    const end = { type: 'execution_complete', kind, success: true, finalOutput, durationMs: 0, completedAt };
    return [...createTextEvents(finalOutput, after), end as ClientEventBody];
  }

  return async function* follow(
    run: SessionRun,
    after: Cursor | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ClientSentEvent, void> {
    const { executionId } = run;
    let last = after?.seq ?? -1;
    const numberEvent = (body: ClientEventBody, seq: number, id: Cursor): ClientSentEvent => {
      last = Math.max(seq, last + 1);
      return { event: { ...body, executionId, seq: last } as ClientSentEvent['event'], id: cursorText(id) };
    };
    let quietSince = now().getTime();
    let turn = await findTurn(run);
    const first = turn?.runId === executionId ? turn.turnId : undefined;
    while (turn !== undefined && turn.turnId === first) {
      await sleep(pollMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      turn = await findTurn(run);
      if (now().getTime() - quietSince < pingEveryMs) continue;
      quietSince = now().getTime();
      yield numberEvent({ type: 'ping', timestamp: now().toISOString() }, 0, after ?? { seq: 0 });
    }
    const bodies = await createBodies(run, after, first !== undefined && turn !== undefined);
    for (const [index, body] of bodies.entries()) {
      if (body.type === 'await') return yield numberEvent(body, 0, after ?? { seq: 0 });
      const seq = flowEndSeq - (bodies.length - 1 - index);
      if (seq > (after?.seq ?? -1)) yield numberEvent(body, seq, { ...after, seq });
    }
  };
});

/** The rest of the text that a page has the beginning of, or the whole text. */
function createTextEvents(text: string, after: Cursor | undefined): ClientEventBody[] {
  const had = after && restOfText(text, after);
  if (!had) return toTextEvents(text);
  const { id, rest } = had;
  return [
    ...(rest === '' ? [] : [{ type: 'text_delta' as const, id, delta: rest }]),
    { type: 'text_complete', id, text },
  ];
}

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
    async store(text: string, used: Spending) {
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
