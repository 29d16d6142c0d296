import { type Renewal, startRenewal } from '../../core/concurrency/renewal.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { isConditionFailed } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Changes, Write } from '../../platform/data/writes.ts';
import { clientSessionEntity } from './client-session.ts';
import { getReadEnd, turnLease, turnMembers } from './turn-state.ts';

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
