import { checkValue } from '../../adapters/json-schema/json-schema.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { jsonIn } from '../../core/json/json.ts';

/** Removes the code fence that models often put around their response. */
export const withoutFence = (text: string): string =>
  /^\s*```[\w-]*\r?\n([\s\S]*?)\r?\n?```\s*$/.exec(text)?.[1] ?? text;

/** A response as JSON, and why it does not fit a schema. */
export async function jsonAnswer(
  text: string,
  schema: JsonSchema,
  { sandbox, signal }: { sandbox: Sandbox; signal: AbortSignal },
): Promise<{ value: unknown; problems: string[] }> {
  const value = jsonIn(withoutFence(text));
  if (value === undefined) return { value, problems: ['The response is not JSON'] };
  const problems = await checkValue(sandbox, schema, value, { signal });
  return { value, problems: problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)) };
}
