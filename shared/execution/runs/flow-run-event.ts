import type { Spending } from '../../adapters/ports/spending.ts';
import type { Warning } from '../../core/warnings.ts';
import type { FlowStep, StepEvent } from '../../domain/flows/steps/step.ts';
import type { WaitView } from '../../domain/run-waits/run-wait.ts';
import type { StepResult } from '../engine/engine.ts';
import type { LocalCall } from '../step-support/step-runner.ts';
import type { Execution } from './execution.ts';

/** Each protocol maps these to its wire format. The last one is `suspended`, `awaiting`, `ended` or `cut-off`. */
export type FlowRunEvent =
  | { type: 'started'; execution: Execution; steps: readonly FlowStep[]; totalSteps: number }
  | { type: 'step-started'; step: FlowStep; path: string; at: string }
  | { type: 'step-event'; step: FlowStep; path: string; event: StepEvent }
  /** `resolvedPrompt` is set in debug mode only. */
  | { type: 'step-ended'; step: FlowStep; result: StepResult; at: string }
  | FinalEvent;

export type ExecutionOutcome =
  /** The execution suspends until `until` and then continues as the batch of this id. */
  | { type: 'suspended'; until: Date; batchId: string; waits: WaitView[] }
  /** The caller must execute a tool, and resume the execution with its output. */
  | { type: 'awaiting'; toolCallId: string; call: LocalCall }
  | { type: 'ended'; success: boolean; output: unknown; error: string | null; errorCode?: string }
  /** Aborted by the time limit or by an internal error. */
  | { type: 'cut-off'; error: { code: 'TIMEOUT' | 'CANCELLED' | 'INTERNAL'; message: string } };

export type FinalEvent = ExecutionOutcome & { at: string; durationMs: number; totals: ExecutionTotals };

export type FlowRunEventOf<Type extends FlowRunEvent['type']> = Extract<FlowRunEvent, { type: Type }>;

/** Of all steps so far, those of branches too. */
export interface ExecutionTotals extends Spending {
  warnings: readonly Warning[];
  completedSteps: number;
  failedSteps: number;
}
