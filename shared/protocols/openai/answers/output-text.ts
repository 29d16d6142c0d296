import type { AnswerEvent } from './answer.ts';

/** Sends the texts of a run as they are written, and what its output has beyond the last of them. */
export function openOutput({ isStreamed }: { isStreamed: boolean }) {
  let text = '';
  let isAnySent = false;
  const delta = (piece: string): AnswerEvent => {
    isAnySent = true;
    return { type: 'text-delta', text: piece };
  };
  return {
    /** Another text begins. */
    begin(): void {
      text = '';
    },
    *add(piece: string): Generator<AnswerEvent> {
      if (!isStreamed || piece === '') return;
      if (text === '' && isAnySent) yield delta('\n\n');
      text += piece;
      yield delta(piece);
    },
    *end(output: unknown): Generator<AnswerEvent> {
      const whole = textOf(output);
      if (whole.startsWith(text)) text = whole.slice(text.length);
      else text = whole.trim() === text.trim() ? '' : `\n\n${whole}`;
      if (text !== '') yield delta(text);
    },
  };
}

const textOf = (output: unknown): string => {
  if (typeof output === 'string') return output;
  return output === null || output === undefined ? '' : JSON.stringify(output);
};
