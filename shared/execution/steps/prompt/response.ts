import type { JsonSchema, ModelMessage } from '../../../adapters/ports/model-port.ts';
import type { Ports } from '../../../adapters/ports/ports.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import { stripFence } from '../../../core/text.ts';
import { parseJsonAnswer, parseJsonValues } from '../../agent-loop/json-answer.ts';
import type { StepPerforming } from '../../step-support/step-runner.ts';
import type { Asker } from './ask.ts';

/** A response that does not fit the schema is requested once more, with its errors. @throws StepError */
export async function parseStructuredOutput(
  { ports: { sandbox }, signal }: Pick<StepPerforming<unknown>, 'ports' | 'signal'>,
  { ask, correct }: Asker,
  messages: readonly ModelMessage[],
  schema: JsonSchema,
): Promise<unknown> {
  const check = (text: string) => parseJsonAnswer(text, schema, { sandbox, signal });
  const first = await ask(messages);
  const one = await check(first);
  if (one.problems.length === 0) return one.value;
  const second = await correct(
    `Your response does not fit the JSON Schema:\n${one.problems.join('\n')}\nAnswer again, with the corrected JSON value and nothing else.`,
  );
  const other = await check(second);
  if (other.problems.length === 0) return other.value;
  throw new StepError(
    `The response does not fit the schema of responseFormat, after one correction: ${other.problems.slice(0, 5).join('; ')}`,
    { retryable: true },
  );
}

/** Without a code fence, except in formats that may begin with one. */
export function unwrapText(text: string, format: string): string {
  if (format === 'text' || format === 'markdown') return text;
  return stripFence(text);
}

/** @throws StepError */
export function parseResponseJson(text: string, { shown }: Pick<Ports, 'shown'>): unknown {
  const values = parseJsonValues(text);
  if (values.length === 1) return values[0];
  if (values.length > 1) {
    throw new StepError(`The model returned ${values.length} JSON values, where one is asked for`, {
      retryable: true,
    });
  }
  const start = shown(text).trim().slice(0, 200);
  throw new StepError(`The model did not return JSON: ${start || 'an empty text'}`, { retryable: true });
}
