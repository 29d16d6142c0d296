import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Admitted,
  type ModelAdmission,
  type ProviderRequest,
  postponedMsMax,
} from '../../adapters/models/admission.ts';
import type { ResolvedModel } from '../../adapters/models/resolved-model.ts';
import { boundedMap } from '../../core/concurrency/cache.ts';
import { inPlaceMsMax, RunMustWait } from '../../core/errors/run-must-wait.ts';
import { beforeInvocationEnds } from '../../core/invocation.ts';
import { unixSeconds } from '../../core/time/unix-seconds.ts';
import { keyPauseEntity } from '../../domain/throttles/limits.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { admitToAll, type Gate, openGate, patienceMs, realTiming, tooLate } from './gate.ts';
import { type KnownLimits, knownLimits, notePause, pauseId } from './known-limits.ts';
import { throttleStore } from './throttle-store.ts';

/** The gates of this process: its runs share what it may send. */
const gates = boundedMap<Gate>({ entriesMax: 10_000 });

/** The longest pause that is believed. Then a call asks the provider again. */
const pauseMsMax = 3_600_000;
/** Not all that wait for the end of a pause come at once. */
const spreadMs = 1_000;

type Process = Pick<Scope, 'table' | 'newId'>;

function gateOf({ table, newId }: Process, id: string): Gate {
  const name = `${table.tenant} ${id}`;
  const known = gates.get(name);
  if (known) return known;
  const holder = newId('hold').slice(-10);
  const gate = openGate({ store: throttleStore(id), holder, timing: realTiming });
  gates.set(name, gate);
  return gate;
}

/** Keeps calls to the limits of model configs and keys, together with all other processes. Without limits nothing is asked. */
export function modelAdmission(scope: Process, { isLive }: { isLive: boolean }): ModelAdmission {
  const { now } = realTiming;

  async function admit(request: ProviderRequest): Promise<Admitted> {
    const { model, wait, signal } = request;
    const arrivedAt = now();
    const since = wait?.since.getTime() ?? arrivedAt;
    const maySuspend = () => wait?.maySuspend() ?? false;
    for (let backSince = arrivedAt - since >= inPlaceMsMax ? since : undefined; ; backSince = since) {
      const known = await knownLimits(scope, model, now);
      if (known.pausedUntil > now()) {
        await untilPauseEnds(known, { since, arrivedAt, maySuspend, signal });
        continue;
      }
      if (known.limited.length === 0) return { end() {} };
      const tokens = known.limited.some(({ limits }) => limits.tokensPerMinute) ? request.tokens() : 0;
      const gates = known.limited.map(({ id, limits }) => ({ gate: gateOf(scope, id), limits }));
      for (const { gate } of gates) beforeInvocationEnds(gate.tell);
      const pass = await admitToAll(gates, { scope, tokens, isLive, backSince, maySuspend, signal });
      // Meanwhile the key may have been paused.
      const later = await knownLimits(scope, model, now).catch((error) => {
        pass.cancel();
        throw error;
      });
      if (later.pausedUntil <= now() && pass.confirm()) return { end: pass.end };
      pass.cancel();
    }
  }

  return {
    admit,
    async pause(model: ResolvedModel, ms: number): Promise<Date> {
      const until = new Date(now() + Math.min(ms, pauseMsMax));
      const id = pauseId(model);
      if (notePause(scope, id, until.getTime())) {
        const pause = { id, until: until.toISOString(), ttl: unixSeconds(until) };
        await scope.table.commit([scope.table.writes.put(keyPauseEntity, pause)]);
      }
      return until;
    },
  };
}

interface PausedCall {
  since: number;
  arrivedAt: number;
  maySuspend: () => boolean;
  signal: AbortSignal;
}

async function untilPauseEnds(
  { pausedUntil }: KnownLimits,
  { since, arrivedAt, maySuspend, signal }: PausedCall,
): Promise<void> {
  const now = realTiming.now();
  const ms = pausedUntil - now;
  const isKeptOff = now - since > postponedMsMax || pausedUntil - arrivedAt > patienceMs;
  if (ms > inPlaceMsMax && maySuspend() && now - since <= postponedMsMax) {
    const until = new Date(pausedUntil + Math.random() * spreadMs);
    throw new RunMustWait(until, 'The provider takes no calls with the key');
  }
  if (isKeptOff) throw tooLate();
  await sleep(ms, undefined, { signal });
}
