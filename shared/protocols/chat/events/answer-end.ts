import { parseCost, type Spending } from '../../../adapters/ports/spending.ts';
import { parseTokenCounts } from '../../json/token-counts.ts';
import type { StreamEvent } from '../../run-events/stream-event.ts';
import type { ClientEventBody as Body } from './client-event.ts';

const messages = {
  FAILED: 'The answer failed. Send the message again later',
  TIMEOUT: 'The answer took too long. Ask for less at once',
  INTERRUPTED: 'Another message interrupted the answer',
  CANCELLED: 'The owner of this chat ended the answer',
} as const;

/** The reason of a run that a later message ended. */
export const interruption = messages.INTERRUPTED;

export interface AnswerInProgress {
  /** Stores the answer, before the visitor learns that it is complete. @returns false if the turn was interrupted. */
  store: (answer: string, used: Spending) => Promise<boolean>;
  /** Counts what an answer used that is not stored. */
  count: (used: Spending) => Promise<void>;
  isInterrupted: () => boolean;
}

type Complete = Extract<StreamEvent, { type: 'execution_complete' }>;

/** The end of an answer, stored before the visitor learns of it. */
export async function answerEnd(
  event: Complete,
  texts: readonly string[],
  answer: AnswerInProgress,
): Promise<Body[]> {
  const { finalOutput, kind, success, totalTokens, totalCost } = event;
  const used = { ...parseTokenCounts(totalTokens), ...parseCost(totalCost) };
  if (!success) {
    await answer.count(used);
    return [failureEvent(kind, answer.isInterrupted() ? 'INTERRUPTED' : toFailureCode(event))];
  }
  const text = answerText(finalOutput);
  if (!(await answer.store(text, used))) return [failureEvent(kind, 'INTERRUPTED')];
  const isUnseen = text !== '' && !wasShown(finalOutput, texts);
  return [...(isUnseen ? toTextEvents(text) : []), { ...event, finalOutput: text }];
}

/** Readers that do not have the turn learn from the run itself who ended it. */
function toFailureCode({ stopReason, error }: Complete): keyof typeof messages {
  if (error === interruption) return 'INTERRUPTED';
  if (stopReason === 'timeout') return 'TIMEOUT';
  return stopReason === 'cancelled' ? 'CANCELLED' : 'FAILED';
}

export const failureEvent = (kind: 'flow' | 'agent', code: keyof typeof messages): Body => ({
  type: 'execution_error',
  kind,
  error: { code, message: messages[code] },
});

export const answerText = (output: unknown): string =>
  typeof output === 'string' ? output : output == null ? '' : JSON.stringify(output);

/** A structured output was streamed as another text. */
const wasShown = (output: unknown, texts: readonly string[]) =>
  typeof output === 'string' ? texts.includes(output.trim()) : texts.length > 0;

/** The texts of an answer that no step streamed. */
export function toTextEvents(text: string): Body[] {
  const id = 'answer';
  return [
    { type: 'text_start', id, role: 'assistant' },
    { type: 'text_delta', id, delta: text },
    { type: 'text_complete', id, text },
  ];
}
