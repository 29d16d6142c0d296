import type * as z from 'zod';
import { toDoubles, toTextNumbers } from '../../core/json/exact-json.ts';

/**
 * The arguments of a tool of ours. A whole number beyond 2^53 is a text where the tool takes texts of digits too; what is
 * wrong with it elsewhere is said of a number.
 */
export function pickOwnArguments<S extends z.ZodType>(
  schema: S,
  args: unknown,
): z.ZodSafeParseResult<z.output<S>> {
  const result = schema.safeParse(args);
  const texts = result.success ? args : toTextNumbers(args);
  if (texts === args) return result;
  const withDigits = schema.safeParse(texts);
  return withDigits.success ? withDigits : schema.safeParse(toDoubles(args));
}
