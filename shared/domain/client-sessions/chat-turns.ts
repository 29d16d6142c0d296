/**
 * Gives each message of a chat session its turn: a session answers one message at a time, in the order in which they came.
 *
 * A turn is a lease on the session (`turnId`, `turnUntil`), acquired by a conditional change; a message that has to wait takes
 * a place in the session's queue and asks again every half second, up to 20 seconds. A message may interrupt the turn before
 * it; every later write of a turn requires that the session still has it, so an interrupted one changes nothing more. After a
 * crash the lease ends, and the next message replaces the run that it left.
 *
 * The decisions are pure functions in `turn-state.ts`, where renewals are too; `shared/protocols/chat` begins and
 * ends turns.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { conflict } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import { isUnchanged, type Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { ClientToken } from '../client-tokens/client-token.ts';
import { type ClientSession, clientSessionEntity } from './client-session.ts';
import {
  beginTurn,
  busy,
  leaveQueue,
  queuePlaceChange,
  sessionEnded,
  type TurnRequest,
  turnLease,
} from './turn-state.ts';

/** How long a message waits for the answer to the one before. */
const queueMs = 20_000;
const pauseMs = 500;

export interface ChatTurn {
  session: ClientSession;
  turnId: string;
  /** The execution of a turn that did not end and that this one replaces. */
  replaced: string | undefined;
  /** Notes what the turn runs, and counts its messages. Refused once another message has interrupted the turn. */
  noteRun: (run: Pick<ClientSession, 'conversationId' | 'runId'>) => Write;
  /** The error if `noteRun` is refused. */
  refusal: () => Error;
}

/** A claimed session was changed since it was read. */
export class ClaimRefused extends Error {}

type Request = TurnRequest & { turnId: string };
type SessionModification = Modification<typeof clientSessionEntity>;

/** Turns of sessions: a session answers one message at a time, in the order in which they came (D78). */
export const chatTurns = /* @__PURE__ */ using(['table:write'], (scope: Scope) => {
  const { table, now, newId } = scope;
  const options = { consistent: true, conflictError: busy };

  /** @returns the session with its turn; `undefined` while it has to wait, with a place among those that wait. */
  async function tryBegin(
    { hash }: Pick<ClientSession, 'hash'>,
    token: ClientToken,
    request: Request,
    current?: ClientSession,
  ): Promise<ChatTurn | undefined> {
    const { turnId, messages } = request;
    let hasBegun = false;
    let replaced: string | undefined;
    const decide = (session: ClientSession): SessionModification | undefined => {
      const begun = beginTurn(session, token, request, now());
      hasBegun = begun !== undefined;
      replaced = session.turnId === undefined ? undefined : session.runId;
      const update = begun ?? queuePlaceChange(session, turnId, now());
      return update && { update };
    };
    const session = await table.modify(clientSessionEntity, { hash }, decide, {
      ...options,
      ...(current && { current }),
    });
    if (!session) throw sessionEnded();
    const noteRun: ChatTurn['noteRun'] = (run) =>
      table.writes.update(
        clientSessionEntity,
        { hash },
        { set: run, add: { messageCount: messages, revision: 1 } },
        turnLease.isHolder(turnId),
      );
    return hasBegun ? { session, turnId, replaced, noteRun, refusal: createInterruption } : undefined;
  }

  /** Lets those behind a request move up. */
  async function leave(hash: string, turnId: string): Promise<void> {
    const decide = (session: ClientSession): SessionModification | undefined => {
      const update = leaveQueue(session, turnId);
      return update && { update };
    };
    await table
      .modify(clientSessionEntity, { hash }, decide, options)
      .catch((error) => log.warn('A place among those that wait could not be given up', { error }));
  }

  return {
    /** Its `noteRun` is refused if the session changed. Undefined if it has a turn or no conversation yet. @throws as `begin`. */
    claim(session: ClientSession, token: ClientToken): ChatTurn | undefined {
      if (session.turnId !== undefined || session.conversationId === null) return undefined;
      const turnId = newId('turn');
      const request = { interrupts: false, messages: 1, turnId };
      const begun = beginTurn(session, token, request, now());
      if (!begun) return undefined;
      const { set, remove = [] } = begun;
      const noteRun: ChatTurn['noteRun'] = (run) => {
        const changes = { set: { ...set, ...run }, remove, add: { messageCount: 1, revision: 1 } };
        return table.writes.update(clientSessionEntity, session, changes, isUnchanged(session));
      };
      return { session, turnId, replaced: undefined, noteRun, refusal: () => new ClaimRefused() };
    },

    /**
     * Reserves the session, as it was just read, for an answer. Its `noteRun` counts the messages. A turn that nobody
     * reads does not hold the session against a new message.
     * @throws 401 for a session that ended, 429 for one without messages left, 409 if it stays busy.
     */
    async begin(
      session: ClientSession,
      token: ClientToken,
      { signal, ...fields }: TurnRequest & { signal?: AbortSignal | undefined },
    ): Promise<ChatTurn> {
      const request = { ...fields, turnId: newId('turn') };
      const since = now().getTime();
      let isWaiting = false;
      try {
        for (let current: ClientSession | undefined = session; ; current = undefined) {
          const turn = await tryBegin(session, token, request, current);
          if (turn) return turn;
          isWaiting = true;
          if (now().getTime() - since > queueMs) throw busy();
          await sleep(pauseMs, undefined, signal && { signal });
        }
      } catch (error) {
        if (isWaiting) await leave(session.hash, request.turnId);
        throw error;
      }
    },
  };
});

const createInterruption = () =>
  conflict('Another message interrupted this one before its answer began. Send it again');
