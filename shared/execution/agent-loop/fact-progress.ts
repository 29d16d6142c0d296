import type { Artifact } from '../tool-support/tool-outcome.ts';
import type { FactOf, ResultFact, TurnFact } from './facts.ts';
import type { LoopProgress } from './loop-progress.ts';

export function toolComplete({
  callId: toolCallId,
  toolName,
  output,
  failed,
  durationMs,
}: ResultFact): LoopProgress {
  const outcome = failed ? { success: false, error: String(output) } : { success: true, result: output };
  return { type: 'tool_complete', toolCallId, toolName, ...outcome, executionTime: durationMs };
}

export function* artifactEvents({
  id,
  isNew,
  artifactType = 'markdown',
  title = '',
  content,
}: Artifact): Generator<LoopProgress> {
  if (isNew) {
    yield { type: 'artifact_start', id, artifactType, title };
    yield { type: 'artifact_delta', id, delta: content };
  } else yield { type: 'artifact_update', id, content };
  yield { type: 'artifact_complete', id };
}

const stopReasons = {
  stop: 'end_turn',
  'tool-calls': 'tool_calls',
  max_tool_calls: 'max_tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  error: 'error',
  interrupted: 'error',
  other: 'unknown',
} as const;

export const turnComplete = ({
  turnId,
  turn,
  text,
  spent,
  stopReason,
  fallback,
  attempts,
  at,
}: TurnFact): LoopProgress => ({
  type: 'turn_complete',
  id: turnId,
  role: 'assistant',
  iteration: turn,
  content: text,
  tokens: {
    input: spent.inputTokens,
    output: spent.outputTokens,
    cachedInput: spent.cachedInputTokens ?? 0,
  },
  cost: spent.cost,
  stopReason: stopReasons[stopReason],
  ...(fallback && { fallback }),
  ...(attempts && { attempts }),
  completedAt: at,
});

export function* approvalStarts({ waits, at }: FactOf<'pause'>): Generator<LoopProgress> {
  for (const { approvalId, callId: toolCallId, toolName, parameters, until } of waits) {
    const timeout = Date.parse(until) - Date.parse(at);
    if (approvalId) yield { type: 'approval_start', approvalId, toolCallId, toolName, parameters, timeout };
  }
}

export const approvalComplete = ({ approvalId, decision, reason, by }: FactOf<'decision'>): LoopProgress => ({
  type: 'approval_complete',
  approvalId,
  decision,
  resolvedBy: by === null ? 'system' : 'user',
  ...(reason && { reason }),
});
