/**
 * Shows those who follow a run from another process what its loop says before a fact holds it.
 * The process of the run gathers events, and writes a chunk every `gatheredMs`, but only while somebody follows:
 * followers register in the execution (`followedUntil`), and the process reads that when it looks after its lease.
 * Chunks name the fact that will contain them, and are useless from then on; they expire.
 * Order: `settle` before a fact is recorded, so that no chunk of it comes later. Numbers are given when an event is
 * first shown: at once to a reader here, otherwise when a chunk is written, adjacent deltas joined before.
 * A failed write ends the chunks until the next fact, which says everything; a crash leaves chunks of a turn that is
 * taken again, told apart by `restarts`.
 */
import * as z from 'zod';
import { delayFlush } from '../../core/concurrency/gather.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { decode, defineEntity } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { ModelOutputEvent } from '../agent-loop/loop.ts';
import { type AgentExecution, agentExecutionEntity, agentRunPartition } from './agent-execution.ts';
import type { NumberedEvent } from './run-events.ts';

/** Readers need a chunk until the fact is recorded that says the same. */
const keptSeconds = 3_600;

/** What the loop said between two facts, a quarter of a second of it. */
export interface OutputChunk {
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

type ChunkPosition = Pick<OutputChunk, 'fact' | 'restarts' | 'n'>;

const padNumber = (n: number, digits: number) => String(n).padStart(digits, '0');
const sortKey = ({ fact, restarts, n }: ChunkPosition) =>
  `PIECE#${padNumber(fact, 6)}#${padNumber(restarts, 3)}#${padNumber(n, 6)}`;

/** After every fact and every chunk of a run. */
export const afterChunks = 'PIECE#~';

const chunkEntity = defineEntity({
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
  key: ({ executionId, ...place }: ChunkPosition & { executionId: string }) => ({
    PK: agentRunPartition(executionId),
    SK: sortKey(place),
  }),
});

export const isAfter = (chunk: ChunkPosition, other: ChunkPosition): boolean =>
  chunk.restarts > other.restarts || (chunk.restarts === other.restarts && chunk.n > other.n);

/** Those that follow a chunk without a gap, which a read that is a moment behind may have. */
export function takeFollowing(last: OutputChunk | undefined, chunks: readonly OutputChunk[]): OutputChunk[] {
  const following: OutputChunk[] = [];
  for (let before = last; ; before = following.at(-1)) {
    const chunk = chunks[following.length];
    const isNext = chunk?.n === (chunk?.restarts === before?.restarts ? (before?.n ?? -1) + 1 : 0);
    if (!chunk || !isNext) return following;
    following.push(chunk);
  }
}

export const chunkStore = ({ table, now }: Scope, executionId: string) => ({
  /** @param events As JSON. */
  async write(chunk: Omit<OutputChunk, 'at' | 'events'> & { events: string }): Promise<void> {
    const ttl = unixSeconds(now()) + keptSeconds;
    const item = { ...chunk, executionId, at: now().toISOString(), ttl };
    await table.commit([table.writes.insert(chunkEntity, item)]);
  },

  /** The chunks before a fact, in order. One may be missing that was written a moment ago. */
  async read(fact: number, after: OutputChunk | undefined): Promise<OutputChunk[]> {
    const from = after ? sortKey({ ...after, n: after.n + 1 }) : sortKey({ fact, restarts: 0, n: 0 });
    const items = await table.queryAll({
      partition: agentRunPartition(executionId),
      from,
      to: sortKey({ fact, restarts: 999, n: 999_999 }),
    });
    return items.map((item) => {
      const { events, ...chunk } = decode(chunkEntity, item);
      return { ...chunk, events: parseExact(events) as ModelOutputEvent[] };
    });
  },
});

const gatheredMs = 250;

/** Numbers the events of a run. */
interface Numbering {
  nextSeq: () => number;
  nextFact: () => number;
  numberEvents: (event: ModelOutputEvent) => Iterable<NumberedEvent>;
}

/**
 * Shows those who follow a run what the loop says before it is recorded. It writes nothing for a run that nobody
 * follows, and keeps what the next fact will hold for somebody who comes before it.
 * @param isUnread Nobody reads the events here, so they get their numbers when others may see them.
 */
export function openLiveOutput(
  scope: Scope,
  execution: AgentExecution,
  numbering: Numbering,
  isUnread: boolean,
) {
  const { id: executionId, restarts } = execution;
  const store = chunkStore(scope, executionId);
  const waiting = openWaitingEvents(numbering, isUnread);
  // D2
  let untilMs = getFollowedUntilMs(execution);
  let place = { fact: -1, n: 0 };
  /** Until the next fact, which says everything. */
  let isBroken = false;
  let isWriting = false;
  const soon = delayFlush(flush);
  const isFollowed = () => !isBroken && untilMs > scope.now().getTime();

  async function write(): Promise<void> {
    const fact = numbering.nextFact();
    place = { fact, n: place.fact === fact ? place.n + 1 : 0 };
    await store.write({ ...place, restarts, ...waiting.take() });
  }

  async function flush(): Promise<void> {
    soon.stop();
    if (isWriting || !isFollowed() || waiting.isEmpty()) return;
    isWriting = true;
    try {
      await write();
    } catch (error) {
      isBroken = true;
      log.warn('What a run says could not be shown to those who follow it', { error, executionId });
    }
    isWriting = false;
    schedule();
  }

  function schedule(): void {
    if (isWriting || !isFollowed() || waiting.isEmpty()) return;
    soon.start(gatheredMs);
  }

  return {
    /** @returns the events for those who read here. */
    *show(event: ModelOutputEvent): Generator<NumberedEvent> {
      yield* waiting.add(event, isFollowed());
      schedule();
    },

    /** What is known of the run in the table. */
    async updateFollowers(current: Pick<AgentExecution, 'followedUntil'>): Promise<void> {
      const wasFollowed = isFollowed();
      untilMs = getFollowedUntilMs(current);
      if (!wasFollowed) await flush();
    },

    /** The facts that are recorded next hold what waits. Their readers get no more chunks of it. */
    async settle(): Promise<void> {
      if (waiting.hasToolEvents()) await flush();
      soon.stop();
      waiting.settle();
      isBroken = false;
    },

    close(): void {
      soon.stop();
      untilMs = 0;
    },
  };
}

/** Of JSON. With the longest event, a chunk fits an item. */
const chunkBytesMax = 100_000;
const eventBytesMax = 200_000;
/** Tools may print faster than anybody can read. */
const toolEventsMax = 1_000;

/** The events that no chunk has. @param isUnread Whether they get their numbers only when they are taken. */
export function openWaitingEvents({ nextSeq, numberEvents }: Numbering, isUnread: boolean) {
  let events: ModelOutputEvent[] = [];
  /** Of the same events, if they have numbers. */
  let seqs: number[] = [];
  const numberAll = (events: readonly ModelOutputEvent[]) => {
    for (const event of events) for (const _event of numberEvents(event));
  };

  return {
    isEmpty: () => events.length === 0,
    /** No fact holds what tools print. */
    hasToolEvents: () => events.some(({ type }) => type === 'tool-event'),

    /** @returns what readers of this process may see now. */
    *add(event: ModelOutputEvent, isFollowed: boolean): Generator<NumberedEvent> {
      const isForgotten = event.type === 'tool-event' && (!isFollowed || events.length >= toolEventsMax);
      if (isForgotten) {
        if (isUnread) numberAll(events);
        [events, seqs] = [[], []];
        return yield* numberEvents(event);
      }
      if (isUnread) events = gather(events, event);
      else {
        events.push(event);
        seqs.push(nextSeq());
        yield* numberEvents(event);
      }
    },

    /** The first of them, as a chunk. @throws RangeError if one is too long. */
    take(): { seq: number; events: string } {
      const texts: string[] = [];
      for (let bytes = 0; texts.length < events.length && bytes < chunkBytesMax; ) {
        const text = JSON.stringify(events[texts.length]);
        const size = Buffer.byteLength(text);
        if (size > eventBytesMax) throw new RangeError('An event is too long for a piece');
        bytes += size;
        texts.push(text);
      }
      const seq = seqs[0] ?? nextSeq();
      const taken = events.splice(0, texts.length);
      seqs.splice(0, texts.length);
      if (isUnread) numberAll(taken);
      return { seq, events: `[${texts.join()}]` };
    },

    /** Gives numbers to all of them, and forgets them. */
    settle(): void {
      if (isUnread) numberAll(events);
      [events, seqs] = [[], []];
    },
  };
}

/** A longer text becomes another event, so that each fits an item. */
const textMax = 30_000;

/** Adds an event that nobody has seen to others: adjacent chunks of a text become one, and arguments come whole. */
function gather(events: ModelOutputEvent[], event: ModelOutputEvent): ModelOutputEvent[] {
  if (event.type === 'tool-call') {
    const isDelta = (each: ModelOutputEvent) => each.type === 'tool-call-delta' && each.id === event.id;
    return [...events.filter((each) => !isDelta(each)), event];
  }
  const last = events.at(-1);
  const joined = last && last !== event ? join(last, event) : undefined;
  if (joined) events.splice(-1, 1, joined);
  else events.push(event);
  return events;
}

function join(last: ModelOutputEvent, event: ModelOutputEvent): ModelOutputEvent | undefined {
  if (!('text' in last) || last.text.length > textMax) return undefined;
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return last.type === event.type ? { ...last, text: last.text + event.text } : undefined;
    case 'tool-call-delta':
      return last.type === event.type && last.id === event.id
        ? { ...last, text: last.text + event.text }
        : undefined;
    default:
      return undefined;
  }
}

const followedMs = 20_000;
/** One write in ten seconds, however many follow the run. */
const renewedBeforeMs = 10_000;

type Followed = Pick<AgentExecution, 'followedUntil'>;

const getFollowedUntilMs = ({ followedUntil }: Followed): number =>
  followedUntil === undefined ? 0 : Date.parse(followedUntil);

/** Lets the process of a run know that somebody follows it, which that process reads when it looks after its lease. */
export async function registerFollower({ table, now }: Scope, execution: AgentExecution): Promise<void> {
  const at = now().getTime();
  if (execution.status !== 'running' || getFollowedUntilMs(execution) - at > renewedBeforeMs) return;
  const write = table.writes.update(
    agentExecutionEntity,
    { id: execution.id },
    { set: { followedUntil: new Date(at + followedMs).toISOString() } },
    {
      expression:
        '#summary.#status = :running AND (attribute_not_exists(#followedUntil) OR #followedUntil < :soon)',
      values: { running: 'running', soon: new Date(at + renewedBeforeMs).toISOString() },
    },
  );
  // Another reader was quicker, or the run is over.
  await table.commit([write]).catch(onConditionFailed(undefined));
}
