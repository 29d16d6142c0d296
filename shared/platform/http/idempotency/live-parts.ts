import { log } from '../../../core/log.ts';
import { decode } from '../../data/entity.ts';
import type { Scope } from '../../data/scope.ts';
import { answerEntity, answerLease, liveLast, livePartEntity } from './answer-entities.ts';

/** How long a reader counts after it has said that it reads. */
const readMs = 15_000;

interface Of {
  name: string;
  holder: string;
  ttl: number;
}

export type LiveParts = ReturnType<typeof liveParts>;

/** What a request has streamed so far, for its repetitions. It is stored only while one of them reads. */
export function liveParts({ table, now }: Scope, { name, holder, ttl }: Of) {
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
