import * as z from 'zod';
import { defineEntity } from '../../data/entity.ts';
import { tenantPartition } from '../../data/keys.ts';
import { leaseOn } from '../../data/lease.ts';

const toAnswerPartition = (name: string) => tenantPartition(`ANSWER#${name}`);

/** What the JSON of answers often contains. */
const dictionaries = [
  '","updatedAt":"2026-","createdAt":"2026-","organizationId":null,"userId":"user-","success":true,"description":null,"name":"","error":"Validation error","details":[{"path":"","code":"","message":"{"body":"{\\"id\\":\\"',
];

/** The request with an idempotency key that is being answered, and then its answer. */
export const answerEntity = defineEntity({
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

export const lockMs = 15 * 60_000;
export const answerLease = /* @__PURE__ */ leaseOn(answerEntity, {
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
export const answerPartEntity = partEntity('answerPart', 'PART', 4);

export const liveLast = 999_999;

/** What a request has streamed. */
export const livePartEntity = partEntity('livePart', 'LIVE', String(liveLast).length);
