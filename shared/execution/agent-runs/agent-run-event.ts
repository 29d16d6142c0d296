import type { Spending } from '../../adapters/ports/spending.ts';
import type { Warning } from '../../core/warnings.ts';
import type { EndFact, LoopWait } from '../agent-loop/facts.ts';
import type { LoopProgress } from '../agent-loop/progress.ts';
import type { AgentExecution } from './agent-execution.ts';

/** The events of a run of an agent, in order. Each protocol maps them to its wire format. */
export type AgentRunEvent =
  /** The run starts, or goes on after a pause. */
  | { type: 'started'; execution: AgentExecution; at: string }
  | LoopProgress
  /** The run waits for somebody. The last events of a stream. */
  | { type: 'awaiting'; wait: LoopWait; at: string; durationMs: number }
  | { type: 'ended'; end: EndFact; summary: RunSummary };

interface RunSummary extends Spending {
  iterations: number;
  warnings: readonly Warning[];
  durationMs: number;
}

/** An event with its number in the run: rising, and the same for every reader. */
export interface NumberedEvent {
  executionId: string;
  seq: number;
  /** The turn that it is a part of, or that was the last one. */
  turnId: string | undefined;
  event: AgentRunEvent;
}
