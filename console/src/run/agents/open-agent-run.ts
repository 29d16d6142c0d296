import { focusManager } from '@tanstack/react-query';
import { shouldRetry } from '../../api/retries.ts';
import type { RunEvent } from '../parts/events.ts';
import { readInBatches } from '../read-in-batches.ts';
import { emptyRun, type FollowedAgentRun, withAgentEvents } from './agent-run.ts';

/** How soon to ask again for the events of a run that waits for somebody, or whose stream ended before the run did. */
const lookEveryMs = 3_000;

export interface AgentRunState {
  run: FollowedAgentRun;
  /** Whether a request of this page starts or continues the run. */
  isSending: boolean;
  /** Why that request failed. */
  refused: Error | undefined;
  /** Why this page no longer knows how the run goes on. */
  lost: Error | undefined;
}

export const notStarted: AgentRunState = {
  run: emptyRun,
  isSending: false,
  refused: undefined,
  lost: undefined,
};

/** A request that answers with the events of the run that it starts or continues. */
export type RunEventSource = (signal: AbortSignal) => AsyncIterable<RunEvent>;

interface Options {
  /** The events of a run after a number. */
  follow: (executionId: string, after: number | undefined, signal: AbortSignal) => AsyncIterable<RunEvent>;
  show: (state: AgentRunState) => void;
  /** Of a run that exists. Otherwise the first request starts it. */
  executionId?: string | undefined;
  everyMs?: number;
}

export type AgentRunSource = ReturnType<typeof openAgentRun>;

/**
 * Keeps up with a run until it ends, whoever continues or cancels it. Follows it only while no request of this page
 * does the same, because closing such a request cancels the run.
 */
export function openAgentRun({ follow, show, executionId, everyMs = lookEveryMs }: Options) {
  const page = new AbortController();
  let state = notStarted;
  let following: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  /** The number up to which all events are known: those of a request may begin later. */
  let after: number | undefined;

  const set = (change: Partial<AgentRunState>) => {
    if (page.signal.aborted) return;
    state = { ...state, ...change };
    show(state);
  };
  const take = (events: readonly RunEvent[]) => set({ run: withAgentEvents(state.run, events) });

  async function send(open: RunEventSource) {
    following?.abort();
    following = undefined;
    set({ isSending: true, refused: undefined });
    try {
      await readInBatches(open(page.signal), take);
    } catch (error) {
      set({ refused: error as Error });
    }
    set({ isSending: false });
    look();
  }

  async function look() {
    clearTimeout(timer);
    const id = executionId ?? state.run.executionId;
    if (!id || state.run.end || state.isSending || following || page.signal.aborted) return;
    const stopping = new AbortController();
    following = stopping;
    set({ lost: undefined });
    try {
      await readInBatches(follow(id, after, AbortSignal.any([page.signal, stopping.signal])), (events) => {
        after = events.at(-1)?.seq ?? after;
        failures = 0;
        take(events);
      });
      lookLater();
    } catch (error) {
      if (stopping.signal.aborted) return;
      if (shouldRetry(failures++, error as Error)) lookLater();
      else set({ lost: error as Error });
    } finally {
      if (following === stopping) following = undefined;
    }
  }

  function lookLater() {
    if (page.signal.aborted || state.run.end) return;
    clearTimeout(timer);
    timer = setTimeout(() => (focusManager.isFocused() ? look() : lookLater()), everyMs);
  }

  return {
    /** Sends a request that starts or continues the run. */
    send,
    /** Asks now whether the run went on. */
    look,
    close() {
      clearTimeout(timer);
      page.abort();
    },
  };
}
