/**
 * The stored state of a throttle: what was sent with a model config or a provider key in the last minute, who may send, and
 * who waits.
 *
 * It is one item, so that one conditional write decides (`decide.ts`); what was sent is packed by seconds to keep the item
 * small. It expires when nothing of it counts any more.
 */

import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';

/** What a process may send until a time, without asking again. Whether it sends it or not, it counts as sent then. */
const ThrottleLease = z.object({
  requests: z.int(),
  tokens: z.int(),
  /** Unix ms. */
  until: z.int(),
  /** How many calls the process may have at once, until `heldUntil`. */
  places: z.int(),
  heldUntil: z.int(),
});
export type ThrottleLease = z.infer<typeof ThrottleLease>;

/** Calls of a process that wait. Not renewed for a while, they are gone. */
const Waiting = z.object({ live: z.int(), batch: z.int(), at: z.int() });

/**
 * What was sent with a model config or a provider key in the last minute, and what may be sent. One item, so that a
 * conditional write decides.
 */
export const Throttle = z.object({
  id: z.string(),
  /** Of each write another one. */
  version: z.int(),
  sent: z.string().transform(unpackSent),
  leases: z.record(z.string(), ThrottleLease),
  waiting: z.record(z.string(), Waiting),
  /** Up to when the turns of waiting calls are given, when the last one was used, and the pause between two. Unix ms. */
  turns: z.object({
    live: z.int(),
    batch: z.int(),
    servedAt: z.object({ live: z.int(), batch: z.int() }),
    pauseMs: z.int(),
  }),
  ttl: z.int(),
});
export type Throttle = z.infer<typeof Throttle>;

export const throttleEntity = defineEntity({
  type: 'throttle',
  schema: Throttle,
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`THROTTLE#${id}`), SK: 'STATE' }),
});

export const createThrottle = (id: string): Throttle => ({
  id,
  version: 0,
  sent: [],
  leases: {},
  waiting: {},
  turns: { live: 0, batch: 0, servedAt: { live: 0, batch: 0 }, pauseMs: 0 },
  ttl: 0,
});

/** What was sent in a second, since 1970. */
export interface SentInSecond {
  second: number;
  requests: number;
  tokens: number;
}

const radix = 36;

/**
 * Some 400 bytes for a minute, so that a write costs one unit: the first second, and for each one that follows its requests
 * and tokens.
 */
export function packSent(sent: readonly SentInSecond[]): string {
  const all = sumSeconds(sent);
  const [first] = all;
  if (!first) return '';
  const parts: string[] = [];
  for (const { second, requests, tokens } of all) {
    parts[second - first.second] =
      `${requests.toString(radix)}${tokens === 0 ? '' : `.${tokens.toString(radix)}`}`;
  }
  return `${first.second.toString(radix)}:${parts.join()}`;
}

export function unpackSent(text: string): SentInSecond[] {
  const [first = '', parts = ''] = text.split(':');
  return parts.split(',').flatMap((part, index) => {
    if (part === '') return [];
    const [requests = '0', tokens = '0'] = part.split('.');
    const second = Number.parseInt(first, radix) + index;
    return [{ second, requests: Number.parseInt(requests, radix), tokens: Number.parseInt(tokens, radix) }];
  });
}

/** One entry a second, in order. */
export function sumSeconds(sent: readonly SentInSecond[]): SentInSecond[] {
  const seconds = new Map<number, SentInSecond>();
  for (const { second, requests, tokens } of sent) {
    const entry = seconds.get(second) ?? { second, requests: 0, tokens: 0 };
    seconds.set(second, {
      second,
      requests: Math.max(0, entry.requests + requests),
      tokens: Math.max(0, entry.tokens + tokens),
    });
  }
  return [...seconds.values()].toSorted((one, other) => one.second - other.second);
}
