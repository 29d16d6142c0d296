import type { Spending } from '../../adapters/ports/spending.ts';
import { conflict, hasCode, ifMissing, notFound } from '../../core/errors/errors.ts';
import { clientJson } from '../../core/json/exact-json.ts';
import { log } from '../../core/log.ts';
import { type ChatTurn, ClaimRefused, chatTurns } from '../../domain/client-sessions/chat-turns.ts';
import { type ClientSession, sessionRuns } from '../../domain/client-sessions/client-session.ts';
import { turnLease, turnLeases } from '../../domain/client-sessions/turn-state.ts';
import { type ClientToken, latestVersion } from '../../domain/client-tokens/client-token.ts';
import { conversationStore } from '../../domain/conversations/conversation-store.ts';
import { messagePages } from '../../domain/conversations/message-pages.ts';
import type { AgentExecution } from '../../execution/agent-runs/agent-execution.ts';
import { loadRun } from '../../execution/agent-runs/run-log.ts';
import { endRun } from '../../execution/agent-runs/sweep-runs.ts';
import { executionEntity } from '../../execution/runs/execution.ts';
import { startTarget, type TargetRun } from '../../execution/targets/start-target.ts';
import { survivesProcess } from '../../execution/targets/survives-process.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type StreamedBody, streamBody } from '../../platform/http/responses/streamed-body.ts';
import { targetEvents } from '../responses/flow-response.ts';
import type { StreamEvent } from '../run-events/stream-event.ts';
import {
  type AnswerRun,
  conversationMessages,
  type NewChatMessage,
  toShownConversation,
} from './conversation-messages.ts';
import {
  answerText,
  ClientResult,
  clientEvents,
  interruption,
  readClientResult,
  sendClientEvents,
  type VisitorView,
} from './events/client-events.ts';
import type { SessionContext } from './visitor.ts';

/** Looks after runs whose request does not: its process died, or another request continued the run. */
const settledRuns = /* @__PURE__ */ using([sessionRuns, conversationMessages, endRun], (scope: Scope) => {
  /** Adds a complete agent's answer. @returns the run's state; undefined for a flow. @throws 404 if the run is gone. */
  async function settle(hash: string, executionId: string): Promise<AgentExecution['status'] | undefined> {
    const run = await sessionRuns(scope).find(hash, executionId);
    if (run?.target.kind !== 'agent') return undefined;
    const { execution, state } = await loadRun(scope, executionId);
    if (execution.status === 'completed' && state.end) {
      await conversationMessages(scope).addLateAnswer(run, answerText(state.end.output), state.totals);
    }
    return execution.status;
  }

  return {
    settle,

    /** Also ends a run that goes on. The process of a flow notices that it lost its turn. @throws 404 */
    async replace(hash: string, executionId: string): Promise<void> {
      const status = await settle(hash, executionId);
      if (status !== 'running') return;
      await endRun(scope, executionId, { stopReason: 'cancelled', error: interruption });
    },
  };
});

/** Runs until the signal is aborted. */
export type EventsFor = (signal: AbortSignal) => AsyncIterable<StreamEvent>;

interface OpenTurn extends Pick<ChatTurn, 'session' | 'noteRun' | 'refusal'> {
  end: () => Promise<void>;
  /** Streams a run to its end, also if the page goes, and then ends the turn. */
  respond: (run: AnswerRun, eventsFor: EventsFor, view: VisitorView, isStreamed?: boolean) => StreamedBody;
}

type TurnOptions = Parameters<ReturnType<typeof chatTurns>['begin']>[2];

export const openTurn = /* @__PURE__ */ using(
  [chatTurns, turnLeases, conversationMessages, settledRuns],
  (scope: Scope) => {
    const turns = chatTurns(scope);
    const leases = turnLeases(scope);
    const conversations = conversationMessages(scope);

    async function begin({ session, token }: SessionContext, options: TurnOptions): Promise<OpenTurn> {
      const turn = await turns.begin(session, token, options);
      const opened = createTurn(session.hash, turn);
      opened.hold();
      if (turn.replaced) {
        await settledRuns(scope)
          .replace(session.hash, turn.replaced)
          .catch(ifMissing(undefined))
          .catch(async (error) => {
            await opened.end();
            throw error;
          });
      }
      return opened;
    }

    function createTurn(hash: string, { session, turnId, noteRun, refusal }: ChatTurn) {
      let holding: ReturnType<typeof leases.hold> | undefined;
      const hold = () => {
        holding ??= leases.hold(hash, turnId);
        return holding;
      };
      let hasEnded = false;
      const end = async () => {
        holding?.stop();
        if (!hasEnded) await leases.end(hash, turnId);
      };

      async function* streamEvents(
        run: AnswerRun,
        eventsFor: EventsFor,
        view: VisitorView,
        pageGone: AbortSignal,
      ) {
        const detach = () => {
          if (hasEnded) return;
          leases.detach(hash, turnId).catch((error) => log.error('A turn could not be detached', { error }));
        };
        pageGone.addEventListener('abort', detach, { once: true });
        const { lost: signal } = hold();
        const answer = {
          async store(text: string, used: Spending) {
            const outcome = await conversations.addAnswer(run, turnId, text, used);
            hasEnded = outcome === 'stored, and the turn has ended';
            return outcome !== 'interrupted';
          },
          count: (used: Spending) => conversations.count(run, used),
          isInterrupted: () => signal.aborted,
        };
        try {
          yield* clientEvents(eventsFor(signal), answer, view);
        } finally {
          pageGone.removeEventListener('abort', detach);
          await end();
        }
      }

      const respond: OpenTurn['respond'] = (run, eventsFor, view, isStreamed = true) => {
        const events = (pageGone: AbortSignal) => streamEvents(run, eventsFor, view, pageGone);
        if (isStreamed) return sendClientEvents(events);
        return streamBody({
          contentType: 'application/json',
          keepAlive: ' ',
          writeBody: async (write, pageGone) => {
            const result = await readClientResult(run.executionId, events(pageGone));
            write(clientJson(ClientResult.parse(result)));
          },
        });
      };
      return { session, noteRun, refusal, hold, end, respond };
    }

    return {
      begin,
      /** A turn that begins with the write of its message: see `claim`. */
      claim({ session, token }: SessionContext): OpenTurn | undefined {
        const turn = turns.claim(session, token);
        return turn && createTurn(session.hash, turn);
      },
    };
  },
);

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

type Common = Pick<
  TargetRun,
  'executionId' | 'target' | 'owner' | 'inputs' | 'messages' | 'requestId' | 'timeLeftMs'
>;

export interface ChatRun extends Common {
  token: ClientToken;
  /** What an agent takes besides: the history of the conversation, and the tools of the page. */
  forAgent: NonNullable<TargetRun['forAgent']>;
}

/** Starts what answers a message, and nothing else than the session's target. @throws 404 if it was deleted. */
export async function startAnswer(scope: Scope, { token, ...run }: ChatRun): Promise<EventsFor> {
  const { pinToVersion, surface } = token;
  const { kind } = run.target;
  const started = await startTarget(scope, {
    ...run,
    environment: token.environment === 'test' ? 'test' : 'production',
    pinned: pinToVersion === latestVersion ? undefined : pinToVersion,
    clientTokenId: token.id,
    surfaceType: 'chat',
    surface: surface ? { type: 'chat', productId: surface.productId, surfaceId: surface.id } : undefined,
    isStreamed: true,
    policy: survivesProcess,
  })
    .catch(ifMissing(undefined))
    .catch(hideDetails(kind));
  if (!started) throw notFound(kind === 'flow' ? 'Flow' : 'Agent');
  return targetEvents(started);
}

/** The details of an agent that cannot run show its system prompt. */
const hideDetails = (kind: 'flow' | 'agent') => (error: unknown) => {
  if (hasCode(error, 'UNPROCESSABLE')) throw conflict('The flow has no steps');
  if (kind === 'flow' || !hasCode(error, 'VALIDATION')) throw error;
  log.info('An agent cannot answer a visitor', { reason: error.details.map(({ message }) => message) });
  throw conflict('The agent cannot run');
};

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
