/**
 * Admits each request to a provider: pauses of its key first, then the limits of its model config and its key.
 * Limits and pauses are known from the resolved model, and read again every second where there are any. A pause that a
 * provider asks for is stored, so that other processes see it. A call waits in place, suspends its run, or fails
 * (`limiter.ts`); after it got its permits, the pause is looked at once more.
 * Also here: the store of a limiter's item (`throttleStore`), which decides in one conditional write, based on the item
 * as it was last read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallLimits } from '../../adapters/models/call-limits.ts';
import {
  type Admitted,
  type CallUse,
  type ModelAdmission,
  type ProviderRequest,
  postponedMsMax,
} from '../../adapters/models/provider-call.ts';
import type { ResolvedModel } from '../../adapters/models/resolved-model.ts';
import { createBoundedMap } from '../../core/cache.ts';
import { inPlaceMsMax, RunMustWait, StepError } from '../../core/errors/step-error.ts';
import { onInvocationEnd } from '../../core/invocation.ts';
import { unixSeconds } from '../../core/time.ts';
import {
  modelConfigEntity,
  providerKeyEntity,
  storePause,
} from '../../domain/model-configs/model-account.ts';
import { type Ask, decide, type ThrottleDecision } from '../../domain/throttles/decide.ts';
import { isLimited, keyPauseEntity, toThrottleUnits } from '../../domain/throttles/limits.ts';
import { createThrottle, packSent, type Throttle, throttleEntity } from '../../domain/throttles/throttle.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decode } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, type WriteCondition } from '../../platform/data/writes.ts';
import {
  acquireAll,
  createTooLateError,
  type Limiter,
  type MeteredLimiter,
  openLimiter,
  patienceMs,
  realTiming,
} from './limiter.ts';

/** The limiters of this process: its runs share what it may send. */
const limiters = createBoundedMap<Limiter>({ entriesMax: 10_000 });

/** The longest pause that is believed. Then a call asks the provider again. */
const pauseMsMax = 3_600_000;
/** Not all that wait for the end of a pause come at once. */
const spreadMs = 1_000;

type Process = Pick<Scope, 'table' | 'newId'>;

function getLimiter({ table, newId }: Process, id: string): Limiter {
  const name = `${table.tenant} ${id}`;
  const existing = limiters.get(name);
  if (existing) return existing;
  const holder = newId('hold').slice(-10);
  const limiter = openLimiter({ store: throttleStore(id), holder, timing: realTiming });
  limiters.set(name, limiter);
  return limiter;
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
      const current = await getCurrentLimits(scope, model, now);
      if (current.pausedUntil > now()) {
        await waitForPauseEnd(current, { since, arrivedAt, maySuspend, signal });
        continue;
      }
      if (current.limited.length === 0) return { end() {} };
      const limited = await meterLimits(scope, current.limited, request);
      for (const { limiter } of limited) onInvocationEnd(limiter.report);
      const permit = await acquireAll(limited, { scope, isLive, backSince, maySuspend, signal });
      // Meanwhile the key may have been paused.
      const later = await getCurrentLimits(scope, model, now).catch((error) => {
        permit.cancel();
        throw error;
      });
      if (later.pausedUntil <= now() && permit.confirm()) return { end: permit.end };
      permit.cancel();
    }
  }

  return {
    admit,
    async pause(model: ResolvedModel, ms: number): Promise<Date> {
      const until = new Date(now() + Math.min(ms, pauseMsMax));
      const id = toPauseId(model);
      if (rememberPause(scope, id, until.getTime())) {
        const pause = { id, until: until.toISOString(), ttl: unixSeconds(until) };
        await storePause(scope, pause);
      }
      return until;
    },
  };
}

/**
 * The limiters of a call. Money has one of its own beside that of requests and tokens: the same item and the same decisions,
 * with units of money in the place of tokens. @throws StepError with RATE_LIMITED if the call alone may cost too much
 */
async function meterLimits(
  scope: Process,
  limited: readonly Limited[],
  request: ProviderRequest,
): Promise<MeteredLimiter[]> {
  const tokens = limited.some(({ limits }) => limits.tokensPerMinute) ? request.tokens() : 0;
  const hasMoney = limited.some(({ limits }) => limits.usdPerMinute);
  const usd = hasMoney ? await request.usd() : null;
  return limited.flatMap(({ id, limits: { usdPerMinute, ...limits } }) => {
    const metered: MeteredLimiter[] = [];
    if (isLimited(limits))
      metered.push({ limiter: getLimiter(scope, id), limits, tokens, measure: (used) => used.tokens });
    if (usdPerMinute === undefined || usd === null) return metered;
    const [most, units] = [toThrottleUnits(usdPerMinute), toThrottleUnits(usd)];
    if (units > most) throw createTooDearError({ usd, usdPerMinute });
    const measure = (used: CallUse) => (used.usd === undefined ? undefined : toThrottleUnits(used.usd));
    const money = { tokensPerMinute: most };
    return [...metered, { limiter: getLimiter(scope, `${id}#usd`), limits: money, tokens: units, measure }];
  });
}

const createTooDearError = ({ usd, usdPerMinute }: { usd: string; usdPerMinute: string }) =>
  new StepError(
    `The call may cost ${usd} USD, but its model config or key allows ${usdPerMinute} USD a minute; shorten it, or state a lower maxTokens`,
    { code: 'RATE_LIMITED' },
  );

interface PausedCall {
  since: number;
  arrivedAt: number;
  maySuspend: () => boolean;
  signal: AbortSignal;
}

async function waitForPauseEnd(
  { pausedUntil }: CurrentLimits,
  { since, arrivedAt, maySuspend, signal }: PausedCall,
): Promise<void> {
  const now = realTiming.now();
  const ms = pausedUntil - now;
  const isKeptOff = now - since > postponedMsMax || pausedUntil - arrivedAt > patienceMs;
  if (ms > inPlaceMsMax && maySuspend() && now - since <= postponedMsMax) {
    const until = new Date(pausedUntil + Math.random() * spreadMs);
    throw new RunMustWait(until, 'The provider takes no calls with the key');
  }
  if (isKeptOff) throw createTooLateError();
  await sleep(ms, undefined, { signal });
}

/** A model config or a provider key with limits. */
interface Limited {
  id: string;
  limits: CallLimits;
}

interface CurrentLimits {
  limited: readonly Limited[];
  /** Unix ms; 0 if the key is not paused. */
  pausedUntil: number;
}

/** What this process knows of a tenant's configs and keys, by their ids. */
const limitsById = createBoundedMap<{ limits: CallLimits }>({ entriesMax: 10_000 });
const pausesById = createBoundedMap<number>({ entriesMax: 10_000 });
const reading = createBoundedMap<{ at: number; done: Promise<void> }>({ entriesMax: 10_000 });

/** A change of limits, and a pause that another process has seen, hold after that. */
const readAfterMs = 1_000;

const toName = ({ table }: Pick<Scope, 'table'>, id: string) => `${table.tenant} ${id}`;

/** Keys of the deployment are paused for each tenant by itself. */
const toPauseId = ({ providerKeyId, provider }: ResolvedModel) => providerKeyId ?? provider;

/**
 * The limits and the pause that hold for a call. Where there are limits they are read again every second; without any, what
 * the run has read suffices.
 */
async function getCurrentLimits(
  scope: Pick<Scope, 'table'>,
  model: ResolvedModel,
  now: () => number,
): Promise<CurrentLimits> {
  const { configId, providerKeyId, limits = {} } = model;
  const asRead = [
    { id: configId, limits: limits.config },
    { id: providerKeyId, limits: limits.key },
  ].flatMap(({ id, limits }) => (id === undefined ? [] : [{ id, limits: limits ?? {} }]));
  const getLatest = () =>
    asRead.map(({ id, limits }) => ({ id, ...(limitsById.get(toName(scope, id)) ?? { limits }) }));
  if ([...asRead, ...getLatest()].some(({ limits }) => isLimited(limits)))
    await readAgain(scope, model, now());
  return {
    limited: getLatest().filter(({ limits }) => isLimited(limits)),
    pausedUntil: Math.max(
      model.pausedUntil?.getTime() ?? 0,
      pausesById.get(toName(scope, toPauseId(model))) ?? 0,
    ),
  };
}

/** @returns whether that is later than what is known */
function rememberPause(scope: Pick<Scope, 'table'>, id: string, until: number): boolean {
  const before = pausesById.get(toName(scope, id)) ?? 0;
  pausesById.set(toName(scope, id), Math.max(before, until));
  return until > before;
}

/** Calls at the same time share a request. */
function readAgain(scope: Pick<Scope, 'table'>, model: ResolvedModel, at: number): Promise<void> {
  const name = toName(scope, `${model.configId} ${toPauseId(model)}`);
  const running = reading.get(name);
  if (running && Math.abs(at - running.at) < readAfterMs) return running.done;
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
    keyPauseEntity.key({ id: toPauseId(model) }),
    ...owners.map(({ id, entity }) => entity.key({ id })),
  ]);
  for (const [index, { id, entity }] of owners.entries()) {
    const item = found[index];
    limitsById.set(toName(scope, id), { limits: (item && decode(entity, item).limits) ?? {} });
  }
  if (pause) rememberPause(scope, toPauseId(model), Date.parse(decode(keyPauseEntity, pause).until));
}

const attemptsMax = 40;
/** At first what the refused write has returned is the newest: a pause would only make it older. */
const hurriedAttempts = 4;
const pauseMs = 10;
/** Older than that, it is read: another process may have written, and a write that is refused costs five times as much. */
const newMs = 50;

/** Decides what a process may send in one conditional write, based on the item as it was seen last. */
export function throttleStore(id: string) {
  let cached: Throttle | undefined;
  let cachedAt = 0;

  const read = async ({ table }: Pick<Scope, 'table'>): Promise<Throttle> =>
    (await table.get(throttleEntity, { id }, { consistent: true })) ?? createThrottle(id);

  return {
    async ask(
      { table }: Pick<Scope, 'table'>,
      ask: Ask,
      limits: CallLimits,
      now: () => number,
    ): Promise<ThrottleDecision> {
      if (now() - cachedAt > newMs) cached = undefined;
      for (let attempt = 0, isFresh = false; attempt < attemptsMax; attempt++) {
        if (attempt >= hurriedAttempts) {
          await sleep(Math.random() * pauseMs * attempt);
          cached = undefined;
        }
        if (!cached) {
          cached = await read({ table });
          isFresh = true;
        }
        const decision = decide(cached, ask, limits, now());
        if (!decision.isNews && isFresh) return decision;
        if (decision.granted < ask.wanted.length && !isFresh) {
          // Others may have given something back.
          cached = undefined;
          continue;
        }
        const { put } = table.writes;
        const item = { ...decision.throttle, sent: packSent(decision.throttle.sent) };
        const { Put } = put(throttleEntity, item, toVersionCondition(cached));
        try {
          await table.commit([{ Put: { ...Put, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } }]);
          cached = decision.throttle;
          cachedAt = now();
          return decision;
        } catch (error) {
          cached = undefined;
          if (!(error instanceof ConditionFailed)) throw error;
          cached = error.item && decode(throttleEntity, error.item);
          isFresh = cached !== undefined;
        }
      }
      // Too many processes change it at the same time: its calls go on waiting.
      const decision = decide(cached ?? createThrottle(id), { ...ask, wanted: [] }, limits, now());
      return { ...decision, askAt: now() + pauseMs * attemptsMax * (1 + Math.random()), isNews: false };
    },
  };
}

const toVersionCondition = ({ version }: Throttle): WriteCondition =>
  version === 0 ? absent : { expression: '#version = :seen', values: { seen: version } };
