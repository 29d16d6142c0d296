/**
 * The turn of a chat session: who may answer now, who waits, and how long.
 * A message begins if nobody has the turn, or interrupts the one that has it; otherwise it waits in the session's
 * queue, in which requests that do not ask again for a while lose their place. These decisions are pure functions from
 * the session and the request to a change, which `chat-turns.ts` writes on the condition that the session is unchanged.
 * `turnLeases` then renews the turn, or holds it for a page that reads along; each write has the condition that the
 * turn is still this one, and a refused one aborts the answer. After a crash the turn expires after ten seconds.
 * Callers: `chat-turns.ts` and `protocols/chat`.
 */
import { type Renewal, startRenewal } from '../../core/concurrency/renewal.ts';
import { conflict, ServiceError, unauthenticated } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { leaseOn } from '../../platform/data/lease.ts';
import { isConditionFailed } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Changes, Write } from '../../platform/data/writes.ts';
import type { ClientToken } from '../client-tokens/client-token.ts';
import { type ClientSession, clientSessionEntity, computeSessionExpiry } from './client-session.ts';

/** How long a turn lasts whose process died. */
const turnMs = 10_000;
/** How long an answer is kept open for a page that reads it, after the page last said that it does. */
const readMs = 5_000;
/** How long a request that died keeps its place among those that wait. */
const placeMs = 5_000;
const renewPlaceMs = 3_000;
const waitingMax = 20;

/** The turn of the request that answers. */
export const turnLease = /* @__PURE__ */ leaseOn(clientSessionEntity, {
  holder: 'turnId',
  until: 'turnUntil',
  format: 'iso',
  leaseMs: turnMs,
});

type SessionChanges = Changes<typeof clientSessionEntity>;

/** What a session has while it answers. */
const turnMembers = ['turnId', 'turnUntil', 'isDetached', 'readUntil'] as const;

export interface TurnRequest {
  /** Ends the turn that is answering, instead of waiting for it. */
  interrupts: boolean;
  /** How many messages it adds. None: it continues an answer, and waits also for an answer that nobody reads. */
  messages: number;
}

const addMs = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString();
const isAfter = (until: string | undefined, now: Date) =>
  until !== undefined && Date.parse(until) > now.getTime();

const getReadEnd = (now: Date) => addMs(now, readMs);

/** The requests that wait for their turn, the first first. */
const listWaiting = ({ waiting = [] }: Pick<ClientSession, 'waiting'>, now: Date) =>
  waiting.filter(({ until }) => isAfter(until, now));

/** Whether a request has to wait for the answer that is being given. */
function isAnswering(session: ClientSession, { interrupts, messages }: TurnRequest, now: Date): boolean {
  if (interrupts || session.turnId === undefined) return false;
  const isRead = !session.isDetached || messages === 0;
  return (isRead && turnLease.isHeld(session, now)) || isAfter(session.readUntil, now);
}

/** @returns undefined if it has to wait. @throws 401 for a session that ended, 429 for one without messages left. */
export function beginTurn(
  session: ClientSession,
  token: ClientToken,
  request: TurnRequest & { turnId: string },
  now: Date,
): SessionChanges | undefined {
  const { turnId, messages, interrupts } = request;
  if (!isAfter(session.expiresAt, now)) throw sessionEnded();
  if (messages > 0 && session.messageCount + messages > token.maxMessagesPerSession)
    throw createSessionFullError(token);
  const waiting = listWaiting(session, now);
  const isNext = interrupts || waiting.length === 0 || waiting[0]?.id === turnId;
  if (!isNext || isAnswering(session, request, now)) return undefined;
  const { set, remove = [] } = removeWaiting(waiting, turnId);
  return {
    set: { ...turnLease.toMembers(now, turnId), ...computeSessionExpiry(token, now), ...set },
    remove: ['isDetached', 'readUntil', ...remove],
  };
}

/** The change that keeps the place of a request that waits; undefined if it has that. @throws 409 */
export function queuePlaceChange(session: ClientSession, id: string, now: Date): SessionChanges | undefined {
  const waiting = listWaiting(session, now);
  const place = waiting.findIndex((each) => each.id === id);
  const mine = { id, until: addMs(now, placeMs) };
  if (place >= 0) {
    const isLate = !isAfter(waiting[place]?.until, new Date(now.getTime() + placeMs - renewPlaceMs));
    return isLate ? { set: { waiting: waiting.with(place, mine) } } : undefined;
  }
  if (waiting.length >= waitingMax) throw busy();
  // Ids rise with time: a request whose place ran out on a busy machine gets it back.
  return { set: { waiting: [...waiting, mine].toSorted((a, b) => (a.id < b.id ? -1 : 1)) } };
}

/** The change that gives up the place of a request; undefined if it has none. */
export function leaveQueue(session: ClientSession, id: string): SessionChanges | undefined {
  const { waiting = [] } = session;
  return waiting.some((each) => each.id === id) ? removeWaiting(waiting, id) : undefined;
}

function removeWaiting(waiting: NonNullable<ClientSession['waiting']>, id: string): SessionChanges {
  const others = waiting.filter((each) => each.id !== id);
  return others.length > 0 ? { set: { waiting: others } } : { remove: ['waiting'] };
}

/** The same for an unknown session. */
export const sessionEnded = () =>
  unauthenticated('The session is unknown or has ended. Open another one with init');

const createSessionFullError = ({ maxMessagesPerSession }: ClientToken) =>
  new ServiceError(
    'RATE_LIMITED',
    `The session has had all of its ${maxMessagesPerSession} messages. Open another one with init`,
  );

export const busy = () =>
  conflict(
    'The session is still answering another message. Wait for the end of that answer, or send submitMode "interrupt"',
  );

const extendEveryMs = 3_000;
const readEveryMs = 2_000;

export const turnLeases = /* @__PURE__ */ using(['table:write'], ({ table, now }: Scope) => {
  /** A change of the session, refused once another message has interrupted the turn. */
  const createChange = (hash: string, turnId: string, changes: Changes<typeof clientSessionEntity>): Write =>
    table.writes.update(clientSessionEntity, { hash }, changes, turnLease.isHolder(turnId));
  const change = (hash: string, turnId: string, changes: Changes<typeof clientSessionEntity>) =>
    table
      .commit([createChange(hash, turnId, { ...changes, add: { revision: 1 } })])
      .catch(onConditionFailed(undefined));

  return {
    /** Extends a turn until `stop`. @returns a signal that is aborted once another message interrupts the turn. */
    hold(hash: string, turnId: string): Renewal {
      const extend = () => {
        const { set } = turnLease.extend(now(), turnId);
        return table.commit([createChange(hash, turnId, { set })]);
      };
      return startRenewal(extend, {
        everyMs: extendEveryMs,
        failure: 'A turn could not be extended',
        isLoss: isConditionFailed,
      });
    },

    /** The page that began a turn has closed its stream. Nothing for a turn that has ended. */
    detach: (hash: string, turnId: string): Promise<void> =>
      change(hash, turnId, { set: { isDetached: true } }),

    /** Holds a turn for another page that reads its answer, until `stop`. Nothing for a turn that has ended. */
    async readAlong(hash: string, turnId: string): Promise<{ stop: () => void }> {
      const extend = () => change(hash, turnId, { set: { readUntil: getReadEnd(now()) } });
      await extend();
      return startRenewal(extend, {
        everyMs: readEveryMs,
        failure: 'A turn could not be held for its reader',
      });
    },

    /** Ends a turn whose answer is stored. Refused once another message has interrupted it. */
    answeredOf: (hash: string, turnId: string): Write =>
      createChange(hash, turnId, { remove: [...turnMembers, 'runId'], add: { revision: 1 } }),

    /** Notes that the answer of a run is stored. Its turn has ended, or another one goes on. */
    settle: (hash: string, runId: string): Promise<void> => {
      const isOfRun = { expression: '#runId = :runId', values: { runId } };
      const changes = { remove: ['runId', 'readUntil'] as const, add: { revision: 1 } };
      return table
        .commit([table.writes.update(clientSessionEntity, { hash }, changes, isOfRun)])
        .catch(onConditionFailed(undefined));
    },

    end: (hash: string, turnId: string): Promise<void> => change(hash, turnId, { remove: turnMembers }),
  };
});
