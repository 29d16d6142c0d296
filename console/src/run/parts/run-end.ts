import type { Attempts, RunEvent } from './events.ts';

/** How a run ended, and what it took. */
export interface RunEnd {
  status: 'completed' | 'failed' | 'cancelled';
  error?: string | undefined;
  stopReason?: string | undefined;
  tokens?: { input: number; output: number };
  /** Null if a model call has no known price. */
  cost?: string | null;
  durationMs?: number;
  /** To get the response of the model that failed. */
  attempts?: Attempts | undefined;
  /** Of an agent, its last text. */
  output?: unknown;
}

export function toRunEnd(event: RunEvent): RunEnd | undefined {
  if (event.type === 'execution_error') return { status: 'failed', error: event.error.message };
  if (event.type !== 'execution_complete') return undefined;
  const { success, error, stopReason, totalTokens, totalCost, durationMs, finalOutput, attempts } = event;
  return {
    status: stopReason === 'cancelled' ? 'cancelled' : success ? 'completed' : 'failed',
    error,
    stopReason,
    tokens: totalTokens,
    cost: totalCost,
    durationMs,
    output: finalOutput,
    attempts,
  };
}
