import type { CallLimits } from '../../adapters/models/call-limits.ts';
import { inPlaceMsMax, RunMustWait } from '../../core/errors/run-must-wait.ts';
import { StepError } from '../../core/errors/step-error.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** A call that asks to be made. */
export interface WaitingCall {
  scope: Pick<Scope, 'table'>;
  limits: CallLimits;
  tokens: number;
  isLive: boolean;
  /** Since when it waits, if it has waited before: its turn has come. Unix ms. */
  backSince: number | undefined;
  maySuspend: () => boolean;
  signal: AbortSignal;
}

export interface Waiter<T> {
  call: WaitingCall;
  arrivedAt: number;
  /** When it arrived, or got another turn since it had waited for too long. */
  waitsSince: number;
  /** When its turn comes; undefined if none was given. Unix ms. */
  turn: number | undefined;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
}

/** What cannot be suspended waits so long at most. */
export const patienceMs = 600_000;

/** Live calls first, then those whose turn comes first, then those that came first. */
export function sortWaiters<T>(waiters: readonly Waiter<T>[]): Waiter<T>[] {
  const rank = ({ turn, arrivedAt }: Waiter<T>) => turn ?? arrivedAt;
  return waiters.toSorted(
    (one, other) =>
      Number(other.call.isLive) - Number(one.call.isLive) ||
      Number(one.turn === undefined) - Number(other.turn === undefined) ||
      rank(one) - rank(other),
  );
}

/** Why a call waits no longer: its run is suspended, or fails. Undefined if it goes on. */
export function endOfWait<T>(waiter: Waiter<T>, now: number, askAt: number): StepError | undefined {
  const { call, turn = 0, arrivedAt } = waiter;
  const next = Math.max(turn, askAt, now);
  if (call.maySuspend() && next - now > inPlaceMsMax) return runMustWait(next);
  if (call.maySuspend() && isOverdue(waiter, now)) return runMustWait(now + inPlaceMsMax);
  return next - now <= patienceMs && now - arrivedAt <= patienceMs ? undefined : tooLate();
}

/** Whether it has waited in place for so long that its run is to be suspended. */
export const isOverdue = <T>({ call, waitsSince }: Waiter<T>, now: number): boolean =>
  call.maySuspend() && now - waitsSince > inPlaceMsMax;

const runMustWait = (until: number) =>
  new RunMustWait(new Date(until), 'The limits of the model config or its key are reached');

export const tooLate = () =>
  new StepError('The limits of the model config or its key left no time for the call; try again later', {
    code: 'RATE_LIMITED',
  });
