import type { Scope } from '../../../platform/data/scope.ts';
import type { NumberedEvent } from '../../events/agent-run-event.ts';
import { isExecutionOver } from '../executions/agent-execution.ts';
import type { Piece } from '../pieces.ts';
import { openReplay } from './run-events.ts';
import { openFeed, type RunFeed } from './run-feed.ts';

/**
 * The events of a run after a number, and then those that follow, until it ends or waits for somebody. Any number of
 * readers may follow a run: those of a process share what is read of it, and each keeps the state only.
 */
export async function* followRun(
  scope: Scope,
  executionId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  const feed = await openFeed(scope, executionId);
  try {
    yield* eventsOf(feed, after, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    feed.close();
  }
}

async function* eventsOf(
  feed: RunFeed,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  const replay = openReplay(feed.execution());
  let seen = after;
  let n = -1;
  let lastPiece: Piece | undefined;
  const unseen = (events: readonly NumberedEvent[]) => events.filter(({ seq }) => seq > after);
  yield* unseen([replay.start]);
  while (!signal.aborted) {
    // Read before the log, so that the log of an execution that is over is complete.
    const execution = feed.execution();
    for (let hasMore = true; hasMore && !signal.aborted; ) {
      const page = await feed.page(n);
      for (const entry of page.entries) {
        yield* unseen(replay.add(entry));
        n = entry.n;
        seen = Math.max(seen, entry.lastSeq);
      }
      ({ hasMore } = page);
    }
    if (signal.aborted) return;
    if (isExecutionOver(execution)) {
      if (!replay.state().end) yield* replay.endWithoutLog(execution, seen);
      return;
    }
    // With every answer, it waits only for the process that continues it.
    if (execution.status === 'paused' && replay.state().waits.length > 0) return;
    const pieces = await feed.pieces(n + 1, lastPiece);
    const restarts = pieces.at(-1)?.restarts;
    for (const piece of pieces) {
      const isNew = piece.seq > after && lastPiece?.fact !== piece.fact;
      // Of a turn that was interrupted, only those see the rest who saw the beginning.
      if (isNew && piece.restarts !== restarts) continue;
      yield* unseen(replay.tell(piece));
      lastPiece = piece;
    }
    if (signal.aborted) return;
    await feed.look(signal);
  }
}
