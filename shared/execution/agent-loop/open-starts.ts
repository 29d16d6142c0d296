import type { LoopProgress } from './loop-progress.ts';

export interface Breakdown {
  error: string;
  /** ISO. */
  at: string;
  /** USD; null if nobody knows it. */
  cost?: string | null;
}

/** Keeps what has begun and not ended, so that each start that readers see is followed by its end, whatever happens. */
export function openStarts() {
  const open = new Map<string, { start: LoopProgress; text: string }>();
  return {
    note(event: LoopProgress): void {
      const key = keyOf(event);
      if (event.type.endsWith('_start')) open.set(key, { start: event, text: '' });
      else if (event.type.endsWith('_complete')) open.delete(key);
      else if (event.type === 'text_delta' || event.type === 'reasoning_delta') {
        const begun = open.get(key);
        if (begun) begun.text += event.delta;
      }
    },
    /** The ends of what is open, the last start first. @param isOver Whether one of them does not go on. Default: all */
    *ends(why: Breakdown, isOver: (start: LoopProgress) => boolean = () => true): Generator<LoopProgress> {
      let said = '';
      for (const [key, { start, text }] of [...open].reverse()) {
        if (!isOver(start)) continue;
        open.delete(key);
        if (start.type === 'text_start') said = text;
        yield* endOf(start, start.type === 'turn_start' ? said : text, why);
      }
    },
  };
}

/** `text`, `reasoning` and `turn` follow each other; the others may be open side by side. */
function keyOf(event: LoopProgress): string {
  const kind = event.type.slice(0, event.type.indexOf('_'));
  if (event.type === 'approval_start' || event.type === 'approval_complete')
    return `${kind} ${event.approvalId}`;
  if ('toolCallId' in event) return `${kind} ${event.toolCallId} ${/input|output/.test(event.type)}`;
  return kind === 'artifact' && 'id' in event ? `${kind} ${event.id}` : kind;
}

function* endOf(
  start: LoopProgress,
  text: string,
  { error, at, cost = null }: Breakdown,
): Generator<LoopProgress> {
  switch (start.type) {
    case 'text_start':
      return yield { type: 'text_complete', text };
    case 'reasoning_start':
      return yield { type: 'reasoning_complete', text };
    case 'tool_start': {
      const { toolCallId, toolName } = start;
      return yield { type: 'tool_complete', toolCallId, toolName, success: false, error, executionTime: 0 };
    }
    case 'approval_start': {
      const { approvalId } = start;
      return yield {
        type: 'approval_complete',
        approvalId,
        decision: 'denied',
        resolvedBy: 'system',
        reason: error,
      };
    }
    case 'turn_start': {
      const { id, role, iteration } = start;
      return yield {
        type: 'turn_complete',
        id,
        role,
        iteration,
        content: text,
        tokens: { input: 0, output: 0, cachedInput: 0 },
        cost,
        stopReason: 'error',
        success: false,
        error,
        completedAt: at,
      };
    }
  }
}
