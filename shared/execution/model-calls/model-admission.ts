import { setTimeout as sleep } from 'node:timers/promises';
import type { CallLimits } from '../../adapters/models/call-limits.ts';
import {
  type Admitted,
  type ModelAdmission,
  type ProviderRequest,
  postponedMsMax,
} from '../../adapters/models/provider-call.ts';
import type { ResolvedModel } from '../../adapters/models/resolved-model.ts';
import { boundedMap } from '../../core/cache.ts';
import { inPlaceMsMax, RunMustWait } from '../../core/errors/run-must-wait.ts';
import { beforeInvocationEnds } from '../../core/invocation.ts';
import { unixSeconds } from '../../core/time.ts';
import { modelConfigEntity, providerKeyEntity } from '../../domain/model-configs/model-account.ts';
import { type Ask, decide, type ThrottleDecision } from '../../domain/throttles/decide.ts';
import { isLimited, keyPauseEntity } from '../../domain/throttles/limits.ts';
import { createThrottle, packSent, type Throttle, throttleEntity } from '../../domain/throttles/throttle.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decode } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, type WriteCondition } from '../../platform/data/writes.ts';
import { admitToAll, type Gate, openGate, patienceMs, realTiming, tooLate } from './gate.ts';

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

/** A model config or a provider key with limits. */
interface Limited {
  id: string;
  limits: CallLimits;
}

interface KnownLimits {
  limited: readonly Limited[];
  /** Unix ms; 0 if the key is not paused. */
  pausedUntil: number;
}

/** What this process knows of a tenant's configs and keys, by their ids. */
const limitsById = boundedMap<{ limits: CallLimits }>({ entriesMax: 10_000 });
const pausesById = boundedMap<number>({ entriesMax: 10_000 });
const reading = boundedMap<{ at: number; done: Promise<void> }>({ entriesMax: 10_000 });

/** A change of limits, and a pause that another process has seen, hold after that. */
const readAfterMs = 1_000;

const nameIn = ({ table }: Pick<Scope, 'table'>, id: string) => `${table.tenant} ${id}`;

/** Keys of the deployment are paused for each tenant by itself. */
const pauseId = ({ providerKeyId, provider }: ResolvedModel) => providerKeyId ?? provider;

/**
 * The limits and the pause that hold for a call. Where there are limits they are read again every second; without any, what
 * the run has read suffices.
 */
async function knownLimits(
  scope: Pick<Scope, 'table'>,
  model: ResolvedModel,
  now: () => number,
): Promise<KnownLimits> {
  const { configId, providerKeyId, limits = {} } = model;
  const asRead = [
    { id: configId, limits: limits.config },
    { id: providerKeyId, limits: limits.key },
  ].flatMap(({ id, limits }) => (id === undefined ? [] : [{ id, limits: limits ?? {} }]));
  const latest = () =>
    asRead.map(({ id, limits }) => ({ id, ...(limitsById.get(nameIn(scope, id)) ?? { limits }) }));
  if ([...asRead, ...latest()].some(({ limits }) => isLimited(limits))) await readAgain(scope, model, now());
  return {
    limited: latest().filter(({ limits }) => isLimited(limits)),
    pausedUntil: Math.max(
      model.pausedUntil?.getTime() ?? 0,
      pausesById.get(nameIn(scope, pauseId(model))) ?? 0,
    ),
  };
}

/** @returns whether that is later than what is known */
function notePause(scope: Pick<Scope, 'table'>, id: string, until: number): boolean {
  const known = pausesById.get(nameIn(scope, id)) ?? 0;
  pausesById.set(nameIn(scope, id), Math.max(known, until));
  return until > known;
}

/** Calls at the same time share a request. */
function readAgain(scope: Pick<Scope, 'table'>, model: ResolvedModel, at: number): Promise<void> {
  const name = nameIn(scope, `${model.configId} ${pauseId(model)}`);
  const known = reading.get(name);
  if (known && Math.abs(at - known.at) < readAfterMs) return known.done;
  const done = readLimits(scope, model).catch((error) => {
    reading.delete(name);
    throw error;
  });
  reading.set(name, { at, done });
  return done;
}

async function readLimits(scope: Pick<Scope, 'table'>, model: ResolvedModel): Promise<void> {
  const { configId, providerKeyId } = model;
  const owners = [
    ...(configId === undefined ? [] : [{ id: configId, entity: modelConfigEntity }]),
    ...(providerKeyId === undefined ? [] : [{ id: providerKeyId, entity: providerKeyEntity }]),
  ];
  const [pause, ...found] = await scope.table.getMany([
    keyPauseEntity.key({ id: pauseId(model) }),
    ...owners.map(({ id, entity }) => entity.key({ id })),
  ]);
  for (const [index, { id, entity }] of owners.entries()) {
    const item = found[index];
    limitsById.set(nameIn(scope, id), { limits: (item && decode(entity, item).limits) ?? {} });
  }
  if (pause) notePause(scope, pauseId(model), Date.parse(decode(keyPauseEntity, pause).until));
}

const attemptsMax = 40;
/** At first what the refused write has returned is the newest: a pause would only make it older. */
const hurriedAttempts = 4;
const pauseMs = 10;
/** Older than that, it is read: another process may have written, and a write that is refused costs five times as much. */
const newMs = 50;

/** Decides what a process may send in one conditional write, based on the item as it was seen last. */
export function throttleStore(id: string) {
  let seen: Throttle | undefined;
  let seenAt = 0;

  const read = async ({ table }: Pick<Scope, 'table'>): Promise<Throttle> =>
    (await table.get(throttleEntity, { id }, { consistent: true })) ?? createThrottle(id);

  return {
    async ask(
      { table }: Pick<Scope, 'table'>,
      ask: Ask,
      limits: CallLimits,
      now: () => number,
    ): Promise<ThrottleDecision> {
      if (now() - seenAt > newMs) seen = undefined;
      for (let attempt = 0, isFresh = false; attempt < attemptsMax; attempt++) {
        if (attempt >= hurriedAttempts) {
          await sleep(Math.random() * pauseMs * attempt);
          seen = undefined;
        }
        if (!seen) {
          seen = await read({ table });
          isFresh = true;
        }
        const decision = decide(seen, ask, limits, now());
        if (!decision.isNews && isFresh) return decision;
        if (decision.granted < ask.wanted.length && !isFresh) {
          // Others may have given something back.
          seen = undefined;
          continue;
        }
        const { put } = table.writes;
        const item = { ...decision.throttle, sent: packSent(decision.throttle.sent) };
        const { Put } = put(throttleEntity, item, unchangedSince(seen));
        try {
          await table.commit([{ Put: { ...Put, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } }]);
          seen = decision.throttle;
          seenAt = now();
          return decision;
        } catch (error) {
          seen = undefined;
          if (!(error instanceof ConditionFailed)) throw error;
          seen = error.item && decode(throttleEntity, error.item);
          isFresh = seen !== undefined;
        }
      }
      // Too many processes change it at the same time: its calls go on waiting.
      const decision = decide(seen ?? createThrottle(id), { ...ask, wanted: [] }, limits, now());
      return { ...decision, askAt: now() + pauseMs * attemptsMax * (1 + Math.random()), isNews: false };
    },
  };
}

const unchangedSince = ({ version }: Throttle): WriteCondition =>
  version === 0 ? absent : { expression: '#version = :seen', values: { seen: version } };
