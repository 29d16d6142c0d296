import { jsonIn } from '../../../core/json.ts';
import { StepError } from '../../../core/step-error.ts';

/** Removes the code fence that models often put around their response. */
export function unwrapped(text: string, format: string): string {
  if (format === 'text' || format === 'markdown') return text;
  return /^\s*```[\w-]*\r?\n([\s\S]*?)\r?\n?```\s*$/.exec(text)?.[1] ?? text;
}

/** @throws StepError */
export function parsed(text: string): unknown {
  const value = jsonIn(unwrapped(text, 'json'));
  if (value !== undefined) return value;
  const start = text.trim().slice(0, 200);
  throw new StepError(`The model did not return JSON: ${start || 'an empty text'}`, { retryable: true });
}
