import { log } from '../../../core/log.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { ModelOutputEvent } from '../../agent-loop/loop.ts';
import type { NumberedEvent } from '../../events/agent-run-event.ts';
import type { AgentExecution } from '../executions/agent-execution.ts';
import { followedUntilMs } from './followers.ts';
import { pieceStore } from './piece-store.ts';
import { openWaiting } from './waiting-events.ts';

const gatheredMs = 250;

/** Numbers the events of a run. */
export interface Numbering {
  nextSeq: () => number;
  nextFact: () => number;
  tell: (event: ModelOutputEvent) => Iterable<NumberedEvent>;
}

/**
 * Shows those who follow a run what the loop says before it is recorded. It writes nothing for a run that nobody
 * follows, and keeps what the next fact will hold for somebody who comes before it.
 * @param isUnread Nobody reads the events here, so they get their numbers when others may see them.
 */
export function openPieces(scope: Scope, execution: AgentExecution, numbering: Numbering, isUnread: boolean) {
  const { id: executionId, restarts } = execution;
  const store = pieceStore(scope, executionId);
  const waiting = openWaiting(numbering, isUnread);
  let untilMs = followedUntilMs(execution);
  let place = { fact: -1, n: 0 };
  /** Until the next fact, which says everything. */
  let isBroken = false;
  let timer: NodeJS.Timeout | undefined;
  let isWriting = false;
  const isFollowed = () => !isBroken && untilMs > scope.now().getTime();

  async function write(): Promise<void> {
    const fact = numbering.nextFact();
    place = { fact, n: place.fact === fact ? place.n + 1 : 0 };
    await store.write({ ...place, restarts, ...waiting.take() });
  }

  async function flush(): Promise<void> {
    stopTimer();
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
    if (timer || isWriting || !isFollowed() || waiting.isEmpty()) return;
    timer = setTimeout(flush, gatheredMs);
  }

  function stopTimer(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    /** @returns the events for those who read here. */
    *tell(event: ModelOutputEvent): Generator<NumberedEvent> {
      yield* waiting.add(event, isFollowed());
      schedule();
    },

    /** What is known of the run in the table. */
    async seen(current: Pick<AgentExecution, 'followedUntil'>): Promise<void> {
      const wasFollowed = isFollowed();
      untilMs = followedUntilMs(current);
      if (!wasFollowed) await flush();
    },

    /** The facts that are recorded next hold what waits. Their readers get no more pieces of it. */
    async settle(): Promise<void> {
      if (waiting.hasToolEvents()) await flush();
      stopTimer();
      waiting.settle();
      isBroken = false;
    },

    close(): void {
      stopTimer();
      untilMs = 0;
    },
  };
}
