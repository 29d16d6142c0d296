/**
 * Stores the answer to a request with an idempotency key for a day, and decides which of several equal requests may
 * answer.
 * A request acquires the lock by a conditional write; the holder then renews it, records how it answers (streams,
 * follows a run) and at last stores the answer in the same item, or releases the lock after a failure that may be tried
 * again. Every later write has the condition that the holder still has the lock, and none of them fails the request
 * itself.
 * After a crash the lock expires after 15 minutes, or at once where this process knows that it is alone. Long bodies
 * lie in items of their own under the holder's name, so that a holder that lost its lock overwrites nothing.
 * What a holder streams is stored in parts only while a repetition reads it (`liveParts`). `once.ts` is the only
 * caller.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { forEachConcurrently } from '../../../core/concurrency/map-concurrently.ts';
import { getAloneSince } from '../../../core/earlier-process.ts';
import { log } from '../../../core/log.ts';
import { unixSeconds } from '../../../core/time.ts';
import { onConditionFailed } from '../../data/condition-failed.ts';
import { decode, defineEntity } from '../../data/entity.ts';
import { tenantPartition } from '../../data/keys.ts';
import { leaseOn } from '../../data/lease.ts';
import type { Scope } from '../../data/scope.ts';
import { absent } from '../../data/writes.ts';
import type { LoggedRun } from '../responses/streamed-body.ts';

const keptSeconds = 86_400;

/** In characters. Longer bodies are divided, because an item holds 400 KB. */
const partMax = 100_000;
const partsAtOnce = 10;

type Answer = z.infer<typeof answerEntity.schema>;
export interface HttpAnswer {
  status: number;
  contentType: string;
  body: string;
}

/** The right to answer a request. None of these fails: a lock that is not given back ends by itself. */
export interface AnswerLock {
  /** Lets repetitions know that the answer is being streamed. */
  streams: (contentType: string) => Promise<void>;
  /** Repetitions follow this run. */
  follows: (run: LoggedRun) => Promise<void>;
  renew: () => Promise<void>;
  live: LiveParts;
  keep: (answer: HttpAnswer) => Promise<void>;
  release: () => Promise<void>;
}

export interface EarlierRequest
  extends Pick<Answer, 'name' | 'fingerprint' | 'holder' | 'contentType' | 'lockedUntil' | 'run' | 'ttl'> {
  answer: HttpAnswer | undefined;
}

export type AnswerStore = ReturnType<typeof answerStore>;

const attemptsMax = 3;

/** Answers to requests with an idempotency key, for 24 hours. */
export function answerStore(scope: Scope) {
  const { table, now } = scope;
  async function acquire(name: string, fingerprint: string): Promise<AnswerLock | undefined> {
    const holder = randomUUID();
    const { set, condition } = answerLease.acquire(now(), holder);
    const lock = { name, fingerprint, ...set, ttl: unixSeconds(now()) + keptSeconds };
    const isFree = {
      ...condition,
      expression: `${absent.expression} OR attribute_not_exists(#status) AND (${condition.expression})`,
    };
    const isTaken = await table
      .commit([table.writes.put(answerEntity, lock, isFree)])
      .then(() => true, onConditionFailed(false));
    return isTaken ? createLock(scope, lock) : undefined;
  }

  async function find(name: string): Promise<EarlierRequest | undefined> {
    const found = await table.get(answerEntity, { name }, { consistent: true });
    if (!found) return undefined;
    const { status, contentType = '', parts, body = '' } = found;
    if (status === undefined) return { ...found, answer: undefined };
    const whole = parts === undefined ? body : await joinParts(scope, found);
    return { ...found, answer: { status, contentType, body: whole } };
  }

  return {
    find,
    /** Whether a request that did not answer yet has lost its process, which may be known before its lock ends. */
    isLost: (earlier: EarlierRequest) =>
      !answerLease.isHeld(earlier, now()) || earlier.lockedUntil - lockMs < getAloneSince(),
    openLiveParts: (earlier: EarlierRequest) => liveParts(scope, earlier),
    /** @returns the right to answer, or what is known of the request that has or had it. */
    async acquireOrFind(
      name: string,
      fingerprint: string,
    ): Promise<{ lock: AnswerLock } | { earlier: EarlierRequest }> {
      for (let attempt = 1; attempt <= attemptsMax; attempt++) {
        const lock = await acquire(name, fingerprint);
        if (lock) return { lock };
        const earlier = await find(name);
        if (earlier) return { earlier };
      }
      throw new Error('The lock of an idempotency key changed too often');
    },
  };
}

const logFailure = (error: unknown) => log.warn('The answer to a request could not be kept', { error });

function createLock(scope: Scope, lock: Answer): AnswerLock {
  const { table, now } = scope;
  const { name, holder, ttl } = lock;
  const isHolder = answerLease.isHolder(holder);
  const change = (set: Partial<Answer>) =>
    table.commit([table.writes.update(answerEntity, { name }, { set }, isHolder)]).catch(logFailure);
  return {
    streams: (contentType) => change({ contentType }),
    follows: (run) => change({ status: 200, run }),
    live: liveParts(scope, lock),
    renew: () => change(answerLease.extend(now(), holder).set),
    async keep({ body, ...answer }) {
      try {
        const parts = splitBody(body).map((text, n) => ({ name, holder, n, text, ttl }));
        const content = parts.length > 1 ? { parts: parts.length } : { body };
        // Not in a batch: whoever may send one may delete, which few endpoints may.
        if (parts.length > 1)
          await forEachConcurrently(parts, partsAtOnce, (part) =>
            table.commit([table.writes.put(answerPartEntity, part)]),
          );
        await table.commit([table.writes.put(answerEntity, { ...lock, ...answer, ...content }, isHolder)]);
      } catch (error) {
        logFailure(error);
      }
    },
    // Expired, not deleted: likewise.
    release: () => change({ lockedUntil: 0, ttl: unixSeconds(now()) }),
  };
}

export function splitBody(body: string): string[] {
  const parts: string[] = [];
  for (let from = 0, to = 0; from < body.length; from = to) {
    to = Math.min(body.length, from + partMax);
    // Half of a pair of surrogates cannot be stored.
    if (to < body.length && /[\uD800-\uDBFF]/.test(body.charAt(to - 1))) to--;
    parts.push(body.slice(from, to));
  }
  return parts;
}

async function joinParts({ table }: Scope, { name, holder, parts = 0 }: Answer): Promise<string> {
  const keys = Array.from({ length: parts }, (_, n) => answerPartEntity.key({ name, holder, n }));
  const items = await table.getMany(keys, { consistent: true });
  return items.map((item) => decode(answerPartEntity, item ?? {}).text).join('');
}

const toAnswerPartition = (name: string) => tenantPartition(`ANSWER#${name}`);

/** What the JSON of answers often contains. */
const dictionaries = [
  '","updatedAt":"2026-","createdAt":"2026-","organizationId":null,"userId":"user-","success":true,"description":null,"name":"","error":"Validation error","details":[{"path":"","code":"","message":"{"body":"{\\"id\\":\\"',
];

/** The request with an idempotency key that is being answered, and then its answer. */
const answerEntity = defineEntity({
  type: 'answer',
  schema: z.object({
    name: z.string(),
    fingerprint: z.string(),
    /** Which request answers. */
    holder: z.string(),
    /** How long another request leaves it to the holder, in Unix ms. */
    lockedUntil: z.int(),
    ttl: z.int(),
    /** While a repetition reads what is being streamed, in Unix ms. */
    readUntil: z.int().optional(),
    /** Missing until there is an answer. */
    status: z.int().optional(),
    /** Also of an answer that is being streamed. */
    contentType: z.string().optional(),
    body: z.string().optional(),
    /** Of a stream whose events are in the log of a run. */
    run: z.object({ executionId: z.string(), after: z.int() }).optional(),
    /** Of a long body, which lies in items of its own. */
    parts: z.int().optional(),
  }),
  packing: { fields: ['body'], dictionaries },
  key: ({ name }: { name: string }) => ({ PK: toAnswerPartition(name), SK: 'ANSWER' }),
});

const lockMs = 15 * 60_000;
const answerLease = /* @__PURE__ */ leaseOn(answerEntity, {
  holder: 'holder',
  until: 'lockedUntil',
  format: 'ms',
  leaseMs: lockMs,
});

const Part = z.object({ name: z.string(), holder: z.string(), n: z.int(), text: z.string(), ttl: z.int() });

/** Texts of a request that answers: one that lost its lock writes over nothing. */
const partEntity = <Type extends string>(type: Type, prefix: string, digits: number) =>
  defineEntity({
    type,
    schema: Part,
    packing: { fields: ['text'], dictionaries },
    key: ({ name, holder, n }: { name: string; holder: string; n: number }) => ({
      PK: toAnswerPartition(name),
      SK: `${prefix}#${holder}#${String(n).padStart(digits, '0')}`,
    }),
  });

/** Of a long answer. */
const answerPartEntity = partEntity('answerPart', 'PART', 4);

const liveLast = 999_999;

/** What a request has streamed. */
const livePartEntity = partEntity('livePart', 'LIVE', String(liveLast).length);

/** How long a reader counts after it has said that it reads. */
const readMs = 15_000;

interface Of {
  name: string;
  holder: string;
  ttl: number;
}

export type LiveParts = ReturnType<typeof liveParts>;

/** What a request has streamed so far, for its repetitions. It is stored only while one of them reads. */
function liveParts({ table, now }: Scope, { name, holder, ttl }: Of) {
  const logFailure = (error: unknown) => log.warn('A stream could not be shared', { error });
  return {
    /** Lets the request know that somebody reads. */
    markRead(): Promise<void> {
      const set = { readUntil: now().getTime() + readMs };
      return table
        .commit([table.writes.update(answerEntity, { name }, { set }, answerLease.isHolder(holder))])
        .catch(logFailure);
    },
    async isRead(): Promise<boolean> {
      const { readUntil = 0 } = (await table.get(answerEntity, { name }).catch(logFailure)) ?? {};
      return readUntil > now().getTime();
    },
    write: (n: number, text: string): Promise<void> =>
      table.commit([table.writes.put(livePartEntity, { name, holder, n, text, ttl })]).catch(logFailure),
    /** The texts from a number on. */
    async readFrom(n: number): Promise<string[]> {
      const { PK: partition, SK: from } = livePartEntity.key({ name, holder, n });
      const to = livePartEntity.key({ name, holder, n: liveLast }).SK;
      const items = await table.queryAll({ partition, from, to, consistent: true });
      return items.map((item) => decode(livePartEntity, item).text);
    },
  };
}
