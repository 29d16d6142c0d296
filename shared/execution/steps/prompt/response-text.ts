import { StepError } from '../../../core/errors/step-error.ts';
import { jsonIn } from '../../../core/json/json.ts';
import { withoutFence } from '../../agent-loop/json-answer.ts';

/** Without a code fence, except in formats that may begin with one. */
export function unwrapped(text: string, format: string): string {
  if (format === 'text' || format === 'markdown') return text;
  return withoutFence(text);
}

/** @throws StepError */
export function parsed(text: string): unknown {
  const value = jsonIn(unwrapped(text, 'json'));
  if (value !== undefined) return value;
  const start = text.trim().slice(0, 200);
  throw new StepError(`The model did not return JSON: ${start || 'an empty text'}`, { retryable: true });
}
