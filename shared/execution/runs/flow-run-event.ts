import type { Spending } from '../../adapters/ports/spending.ts';
import type { Warning } from '../../core/warnings.ts';
import type { FlowStep, StepEvent } from '../../domain/flows/steps/step.ts';
import type { WaitView } from '../../domain/run-waits/run-wait.ts';
import type { EndStatus } from '../../domain/runs/run.ts';
import { type NewRun, type RunEnding, runCancelled, runError } from '../../domain/runs/run-list.ts';
import { childListing, type ParentListing, type RunOrigin } from '../../domain/runs/run-origin.ts';
import type { StepResult } from '../engine/engine.ts';
import type { LocalCall } from '../step-support/step-runner.ts';
import type { Execution } from './execution.ts';
import type { FinalWrite } from './run-recorder.ts';

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

const getOrigin = ({ origin }: Execution): RunOrigin => origin ?? { trigger: { type: 'api' } };

/** A dispatched run of a flow as it is listed. */
export function toFlowRun(execution: Execution): NewRun {
  const {
    id,
    flowName: name,
    flowId,
    flowVersionId,
    recordId,
    startedAt,
    startedIn,
    listedUntil,
  } = execution;
  return {
    id,
    kind: 'flow',
    name,
    flowId,
    ...(flowVersionId && { flowVersionId }),
    ...(recordId && { recordId }),
    ...getOrigin(execution),
    startedAt,
    ...(listedUntil !== undefined && { ttl: listedUntil, ...(startedIn && { startedIn }) }),
  };
}

export const toFlowListing = (execution: Execution): ParentListing =>
  childListing(execution.id, getOrigin(execution));

/** Why a flow ended, for whoever asks. */
export const endError = (status: EndStatus, error: string | null) =>
  error ?? (status === 'cancelled' ? runCancelled : null);

export type FlowEnding = Pick<FinalWrite, 'at' | 'error' | 'totals'>;

export const toFlowEnding = ({ at, error, totals }: FlowEnding, status: EndStatus): RunEnding => ({
  status,
  at,
  totals,
  error: runError(status, error),
});
