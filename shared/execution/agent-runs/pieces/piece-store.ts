import * as z from 'zod';
import { parseExact } from '../../../core/json/exact-json.ts';
import { unixSeconds } from '../../../core/time/unix-seconds.ts';
import { decode, defineEntity } from '../../../platform/data/entity.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { ModelOutputEvent } from '../../agent-loop/loop.ts';
import { agentRunPartition } from '../executions/agent-execution.ts';

/** Readers need a piece until the fact is recorded that says the same. */
const keptSeconds = 3_600;

/** What the loop said between two facts, a quarter of a second of it. */
export interface Piece {
  /** The number of the fact that follows. */
  fact: number;
  /** How often the run was taken over before. */
  restarts: number;
  /** In this process, before this fact. */
  n: number;
  /** The number of the first event that readers get of it; the others follow without gaps. */
  seq: number;
  at: string;
  events: readonly ModelOutputEvent[];
}

type Place = Pick<Piece, 'fact' | 'restarts' | 'n'>;

const inDigits = (n: number, digits: number) => String(n).padStart(digits, '0');
const sortKey = ({ fact, restarts, n }: Place) =>
  `PIECE#${inDigits(fact, 6)}#${inDigits(restarts, 3)}#${inDigits(n, 6)}`;

/** After every fact and every piece of a run. */
export const afterPieces = 'PIECE#~';

const pieceEntity = defineEntity({
  type: 'agentPiece',
  schema: z.object({
    executionId: z.string(),
    fact: z.int(),
    restarts: z.int(),
    n: z.int(),
    seq: z.int(),
    at: z.string(),
    /** JSON. */
    events: z.string(),
    ttl: z.int(),
  }),
  key: ({ executionId, ...place }: Place & { executionId: string }) => ({
    PK: agentRunPartition(executionId),
    SK: sortKey(place),
  }),
});

export const isAfter = (piece: Place, other: Place): boolean =>
  piece.restarts > other.restarts || (piece.restarts === other.restarts && piece.n > other.n);

/** Those that follow a piece without a gap, which a read that is a moment behind may have. */
export function followingIn(last: Piece | undefined, pieces: readonly Piece[]): Piece[] {
  const following: Piece[] = [];
  for (let before = last; ; before = following.at(-1)) {
    const piece = pieces[following.length];
    const isNext = piece?.n === (piece?.restarts === before?.restarts ? (before?.n ?? -1) + 1 : 0);
    if (!piece || !isNext) return following;
    following.push(piece);
  }
}

export const pieceStore = ({ table, now }: Scope, executionId: string) => ({
  /** @param events As JSON. */
  async write(piece: Omit<Piece, 'at' | 'events'> & { events: string }): Promise<void> {
    const ttl = unixSeconds(now()) + keptSeconds;
    const item = { ...piece, executionId, at: now().toISOString(), ttl };
    await table.commit([table.writes.insert(pieceEntity, item)]);
  },

  /** The pieces before a fact, in order. One may be missing that was written a moment ago. */
  async read(fact: number, after: Piece | undefined): Promise<Piece[]> {
    const from = after ? sortKey({ ...after, n: after.n + 1 }) : sortKey({ fact, restarts: 0, n: 0 });
    const items = await table.queryAll({
      partition: agentRunPartition(executionId),
      from,
      to: sortKey({ fact, restarts: 999, n: 999_999 }),
    });
    return items.map((item) => {
      const { events, ...piece } = decode(pieceEntity, item);
      return { ...piece, events: parseExact(events) as ModelOutputEvent[] };
    });
  },
});
