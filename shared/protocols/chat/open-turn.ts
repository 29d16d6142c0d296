/**
 * Holds the turn of a chat session while a run answers: renews it, streams the run to its end, stores the answer and
 * ends the turn.
 * `begin` acquires the session, or waits for it, and ends the run that the turn replaces (`settled-runs.ts`); `claim`
 * begins a turn with the write of its message and its run (`beginMessage`). `respond` reads the run to its end even if the page
 * disconnects, because the answer is stored before its end is sent; it then detaches the turn, so that the next message
 * need not wait.
 * After a crash the lease of the turn expires, and the next message or a reload of the page (`resumed-chat.ts`) settles
 * the run.
 * `functions/client-chat` and `continue-answer.ts` call it; leases are in `domain/client-sessions`, messages in
 * `conversation-messages.ts`.
 */

import type { Spending } from '../../adapters/ports/spending.ts';
import { ifMissing } from '../../core/errors/errors.ts';
import { clientJson } from '../../core/json/exact-json.ts';
import { log } from '../../core/log.ts';
import { type ChatTurn, ClaimRefused, chatTurns } from '../../domain/client-sessions/chat-turns.ts';
import { turnLeases } from '../../domain/client-sessions/turn-state.ts';
import type { AlsoAtEnd } from '../../execution/agent-runs/run-journal.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type StreamedBody, streamBody } from '../../platform/http/responses/streamed-body.ts';
import type { StreamEvent } from '../run-events/stream-event.ts';
import {
  type AnswerRun,
  type Asked,
  type BegunTurn,
  conversationMessages,
  type NewChatMessage,
  type PreparedStart,
} from './conversation-messages.ts';
import {
  answerText,
  ClientResult,
  clientEvents,
  readClientResult,
  sendClientEvents,
  type VisitorView,
} from './events/client-events.ts';
import { settledRuns } from './settled-runs.ts';
import type { SessionContext } from './visitor.ts';

/** Runs until the signal is aborted. */
export type EventsFor = (signal: AbortSignal, alsoAtEnd?: AlsoAtEnd) => AsyncIterable<StreamEvent>;

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
        const addAtEnd: AlsoAtEnd = async ({ output, error }, totals) => {
          const text = error === null ? answerText(output) : '';
          const added = await conversations.prepareAnswer(run, turnId, text, totals);
          const done = () => {
            hasEnded = true;
            holding?.stop();
            added?.noteAdded();
          };
          return added && { writes: added.writes, done };
        };
        const answer = {
          async store(text: string, used: Spending) {
            if (hasEnded) return true;
            const outcome = await conversations.addAnswer(run, turnId, text, used);
            hasEnded = outcome === 'stored, and the turn has ended';
            return outcome !== 'interrupted';
          },
          count: (used: Spending) => conversations.count(run, used),
          isInterrupted: () => signal.aborted,
        };
        try {
          yield* clientEvents(eventsFor(signal, addAtEnd), answer, view);
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
 * Begins a turn with a new message, its run and the place of the request, in one transaction if the session is free.
 * @throws 401 for a session that ended, 409 for one that stays busy or has the message, which then does not count; 429 for
 * one without messages left.
 */
export const beginMessage = /* @__PURE__ */ using(
  [openTurn, conversationMessages, settledRuns],
  (scope: Scope) => {
    const turns = openTurn(scope);
    type Options = Omit<Parameters<typeof turns.begin>[1], 'messages'>;

    type Prepare<Start> = (asked: Asked) => Promise<Start>;

    const add = async <Start extends PreparedStart>(
      visit: SessionContext,
      turn: OpenTurn & BegunTurn,
      newMessage: NewChatMessage,
      prepare: Prepare<Start>,
    ) => {
      const own = { ...visit, session: turn.session };
      return { turn, ...(await conversationMessages(scope).addMessage(own, turn, newMessage, prepare)) };
    };

    /** With the place of the request, so that nothing begins without one. */
    const addClaimed: typeof add = async (visit, turn, newMessage, prepare) => {
      const place = scope.place?.join();
      if (!place) await scope.place?.acquire();
      const alsoWrite = place ? [place.write] : [];
      const added = await add(visit, { ...turn, alsoWrite, isClaimed: true }, newMessage, prepare);
      place?.done();
      return added;
    };

    /** A run that waited, and went on without its page, may have an answer that comes before this message. */
    const settleLeft = async ({ hash, turnId, runId }: SessionContext['session']): Promise<void> => {
      if (turnId === undefined && runId !== undefined)
        await settledRuns(scope).settle(hash, runId).catch(ifMissing(undefined));
    };

    return async <Start extends PreparedStart>(
      visit: SessionContext,
      options: Options,
      newMessage: NewChatMessage,
      prepare: Prepare<Start>,
    ) => {
      await settleLeft(visit.session);
      const claimed = turns.claim(visit);
      // Another request may have the session now, or the place: then wait for the turn.
      const begun =
        claimed && (await addClaimed(visit, claimed, newMessage, prepare).catch(ignoreRefusedClaim));
      if (begun) return begun;
      await scope.place?.acquire();
      const turn = await turns.begin(visit, { ...options, messages: 1 });
      return add(visit, turn, newMessage, prepare).catch(async (error) => {
        await turn.end();
        throw error;
      });
    };
  },
);

function ignoreRefusedClaim(error: unknown): undefined {
  if (!(error instanceof ClaimRefused)) throw error;
}
