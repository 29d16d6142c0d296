import type { FlowStep, StepEvent } from '../domain/flows/steps/step.ts';
import type { StepResult } from './engine/engine.ts';
import type { Execution } from './runs/execution.ts';

/**
 * What happens while an execution goes on, for whoever watches it. Protocols map these events to their own wire. The
 * last one is `suspended`, `ended` or `cut-off`.
 */
export type ExecutionEvent =
  | { type: 'started'; execution: Execution; totalSteps: number }
  | { type: 'step-started'; step: FlowStep; path: string; at: string }
  /** Something that goes on inside a step: its text, piece by piece, or an event of its own. */
  | { type: 'step-event'; step: FlowStep; event: StepEvent }
  /** `resolvedPrompt` is there in debug mode alone. */
  | { type: 'step-ended'; step: FlowStep; result: StepResult; at: string }
  /** The execution waits until `until`, and then goes on by itself as the batch of this id. */
  | ({ type: 'suspended'; until: Date; batchId: string } & FinalEventMembers)
  | ({ type: 'ended'; success: boolean; output: unknown; error: string | null } & FinalEventMembers)
  /** Its time limit ended it, or a fault of the service. */
  | ({ type: 'cut-off'; error: { code: 'TIMEOUT' | 'INTERNAL'; message: string } } & FinalEventMembers);

interface FinalEventMembers {
  at: string;
  durationMs: number;
  totals: ExecutionTotals;
}

/** Of all steps so far, those of branches too. */
export interface ExecutionTotals {
  tokens: { input: number; output: number };
  /** USD, as decimal text. */
  cost: string;
  completedSteps: number;
  failedSteps: number;
}
