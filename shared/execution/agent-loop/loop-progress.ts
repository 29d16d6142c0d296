import type { Warning } from '../../core/warnings.ts';
import type { Attempt } from '../../domain/flows/steps/attempt.ts';
import type { StepEvent } from '../../domain/flows/steps/step.ts';

/** What readers of an agent's run learn while it goes on. */
export type LoopProgress =
  | StepEvent
  | { type: 'turn_start'; id: string; role: 'assistant'; iteration: number }
  | {
      type: 'turn_complete';
      id: string;
      role: 'assistant';
      iteration: number;
      content: string;
      tokens: { input: number; output: number; cachedInput: number };
      /** USD as decimal text; null if a call has no known price. */
      cost: string | null;
      stopReason:
        | 'end_turn'
        | 'tool_calls'
        | 'max_tool_calls'
        | 'length'
        | 'content_filter'
        | 'error'
        | 'unknown';
      fallback?: string;
      attempts?: Attempt[];
      /** Of a turn without a response. */
      success?: false;
      error?: string;
      completedAt: string;
    }
  | ({ type: 'warning' } & Omit<Warning, 'stepId'>)
  | { type: 'artifact_start'; id: string; artifactType: string; title: string }
  | { type: 'artifact_delta'; id: string; delta: string }
  | { type: 'artifact_update'; id: string; content: string }
  | { type: 'artifact_complete'; id: string }
  | {
      type: 'approval_start';
      approvalId: string;
      toolCallId: string;
      toolName: string;
      parameters: unknown;
      /** Milliseconds until the call is denied. */
      timeout: number;
    }
  | {
      type: 'approval_complete';
      approvalId: string;
      decision: 'approved' | 'denied' | 'timeout';
      resolvedBy: 'user' | 'system';
      reason?: string;
    };

export const toStepEvent = (progress: LoopProgress): StepEvent | undefined =>
  isOfAgents(progress) ? undefined : progress;

const isOfAgents = (progress: LoopProgress): progress is Exclude<LoopProgress, StepEvent> =>
  /^(?:(?:turn|approval|artifact)_|warning$)/.test(progress.type);
