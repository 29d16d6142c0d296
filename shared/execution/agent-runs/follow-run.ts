/**
 * Follows a run from any process: its events after a number, from the log, then as they come, until it ends or waits.
 * The readers of a process share one feed per run, which looks at the execution, the next page of the log and the
 * chunks, after pauses of 250 ms to 2 s. The execution is read before the log, so the log of a run that is over is
 * complete.
 * Each reader keeps only its replay (`run-events.ts`). Nothing is stored but the registration that lets the run's
 * process write chunks (`live-output.ts`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createBoundedMap } from '../../core/cache.ts';
import { orAborted } from '../../core/concurrency/abort.ts';
import { ifMissing } from '../../core/errors/errors.ts';
import { countCharacters } from '../../core/json/json-texts.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type AgentExecution, isExecutionOver } from './agent-execution.ts';
import { chunkStore, isAfter, type OutputChunk, registerFollower, takeFollowing } from './live-output.ts';
import { type NumberedEvent, openReplay } from './run-events.ts';
import { findExecution, type LogPage, runLogReader, toDeletedRun } from './run-log.ts';

/** Any number of readers may follow a run. @param after The number of the last event that the reader has. @throws 404 */
export async function* followRun(
  scope: Scope,
  executionId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  const feed = await openFeed(scope, executionId);
  try {
    yield* readEvents(feed, after, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    feed.close();
  }
}

async function* readEvents(
  feed: RunFeed,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  const replay = openReplay(feed.execution());
  let lastSeq = after;
  let n = -1;
  let lastChunk: OutputChunk | undefined;
  const filterNew = (events: readonly NumberedEvent[]) => events.filter(({ seq }) => seq > after);
  yield* filterNew([replay.start]);
  while (!signal.aborted) {
    // Read before the log, so that the log of an execution that is over is complete.
    const execution = feed.execution();
    for (let hasMore = true; hasMore && !signal.aborted; ) {
      const page = await feed.readPage(n);
      for (const entry of page.entries) {
        yield* filterNew(replay.add(entry));
        n = entry.n;
        lastSeq = Math.max(lastSeq, entry.lastSeq);
      }
      ({ hasMore } = page);
    }
    if (signal.aborted) return;
    if (isExecutionOver(execution)) {
      if (!replay.state().end) yield* replay.endWithoutLog(execution, lastSeq);
      return;
    }
    // With every answer, it waits only for the process that continues it.
    if (execution.status === 'paused' && replay.state().waits.length > 0) return;
    const chunks = await feed.chunks(n + 1, lastChunk);
    const restarts = chunks.at(-1)?.restarts;
    for (const chunk of chunks) {
      const isNew = chunk.seq > after && lastChunk?.fact !== chunk.fact;
      // Of a turn that was interrupted, only those see the rest who saw the beginning.
      if (isNew && chunk.restarts !== restarts) continue;
      yield* filterNew(replay.addChunk(chunk));
      lastChunk = chunk;
    }
    if (signal.aborted) return;
    await feed.look(signal);
  }
}

const pollMsMin = 250;
const pollMsMax = 2_000;
/** Pieces are cheap to look for, and readers wait for the first. */
const chunksMsMax = 500;

interface RunFeed {
  /** As of the last look. */
  execution: () => AgentExecution;
  /** The facts after a number, some at a time. The last page has all that were recorded before the last look. */
  readPage: (after: number) => Promise<LogPage>;
  /** What was said before a fact that is not recorded yet, after a chunk, as far as it was read at the last look. */
  chunks: (fact: number, after: OutputChunk | undefined) => Promise<OutputChunk[]>;
  /** Looks at the run again after a pause. Readers that wait at the same time share it. */
  look: (signal: AbortSignal) => Promise<void>;
  close: () => void;
}

const feeds = new Map<string, { feed: ReturnType<typeof createFeed>; readers: number }>();

/** Opens the feed of a run for a reader, who closes it. @throws 404 */
async function openFeed(scope: Scope, executionId: string): Promise<RunFeed> {
  const name = `${scope.table.tenant} ${executionId}`;
  const opened = feeds.get(name) ?? { feed: createFeed(scope, name, executionId), readers: 0 };
  feeds.set(name, opened);
  opened.readers++;
  const leave = () => {
    if (--opened.readers > 0) return;
    feeds.delete(name);
    opened.feed.then(
      ({ stop }) => stop(),
      () => {},
    );
  };
  try {
    return { ...(await opened.feed), close: leave };
  } catch (error) {
    leave();
    throw error;
  }
}

async function createFeed(scope: Scope, name: string, executionId: string) {
  const stopped = new AbortController();
  const log = runLogReader(scope);
  const store = chunkStore(scope, executionId);
  let execution = await findExecution(scope, executionId);
  await registerFollower(scope, execution);
  let lastPages = new Map<number, Promise<LogPage>>();
  let pollMs = pollMsMin;
  let pausedMs = 0;
  let buffer = createChunkBuffer(0);
  let looking: Promise<void> | undefined;

  /** Looks for chunks each time, and less often for facts and for the end of the run. */
  async function lookAfterPause(): Promise<void> {
    try {
      const pauseMs = buffer.isFlowing ? pollMsMin : Math.min(pollMs, chunksMsMax);
      await sleep(pauseMs, undefined, { signal: stopped.signal });
      pausedMs += pauseMs;
      if (pausedMs >= pollMs) await lookAtRun();
      buffer.reading = undefined;
    } finally {
      looking = undefined;
    }
  }

  async function lookAtRun(): Promise<void> {
    pausedMs = 0;
    pollMs = Math.min(pollMs * 1.5, pollMsMax);
    execution = await findExecution(scope, executionId).catch(ifMissing(toDeletedRun(execution)));
    await registerFollower(scope, execution);
    lastPages = new Map();
  }

  async function readChunks(current: ReturnType<typeof createChunkBuffer>): Promise<void> {
    const more = await store.read(current.fact, current.chunks.at(-1));
    current.chunks.push(...takeFollowing(current.chunks.at(-1), more));
    // When they cease, their fact is there or soon will be.
    if (current.isFlowing && more.length === 0) pollMs = pollMsMin;
    current.isFlowing = more.length > 0;
  }

  async function read(after: number, pages: typeof lastPages): Promise<LogPage> {
    try {
      const page = await log.readPage(executionId, after);
      if (page.entries.length > 0) pollMs = pollMsMin;
      if (page.hasMore) keep(`${name} ${after}`, page);
      return page;
    } catch (error) {
      pages.delete(after);
      throw error;
    }
  }

  return {
    execution: () => execution,
    async readPage(after: number): Promise<LogPage> {
      const fullPage = fullPages.get(`${name} ${after}`);
      if (fullPage) return fullPage;
      const reading = lastPages.get(after) ?? read(after, lastPages);
      lastPages.set(after, reading);
      const page = await reading;
      if (page.hasMore) lastPages.delete(after);
      return page;
    },
    async chunks(fact: number, after: OutputChunk | undefined): Promise<OutputChunk[]> {
      if (buffer.fact !== fact) buffer = createChunkBuffer(fact);
      const current = buffer;
      current.reading ??= readChunks(current);
      await current.reading;
      return current.chunks.filter((chunk) => !after || after.fact < fact || isAfter(chunk, after));
    },
    async look(signal: AbortSignal): Promise<void> {
      looking ??= lookAfterPause();
      // Nobody may wait for it any more.
      looking.catch(() => {});
      await orAborted(looking, signal);
    },
    stop: () => stopped.abort(),
  };
}

const createChunkBuffer = (fact: number) => ({
  fact,
  chunks: [] as OutputChunk[],
  isFlowing: false,
  /** Once between two looks. */
  reading: undefined as Promise<void> | undefined,
});

/** Pages that nothing can follow any more in this form: readers come to them one soon after the other. */
const fullPages = createBoundedMap<LogPage>({ entriesMax: 16 });
const keptCharactersMax = 2_000_000;

function keep(name: string, page: LogPage): void {
  if (countCharacters(page.entries, keptCharactersMax) <= keptCharactersMax) fullPages.set(name, page);
}
