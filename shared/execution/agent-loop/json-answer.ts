import { checkValue } from '../../adapters/json-schema/json-schema.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { jsonIn } from '../../core/json/json.ts';
import type { Loop } from './loop.ts';

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

export const answerChecker =
  ({ sandbox }: Pick<Ports, 'sandbox'>, schema: JsonSchema, signal: AbortSignal): Loop['checkAnswer'] =>
  async (text) => {
    const { value, problems } = await jsonAnswer(text, schema, { sandbox, signal });
    if (problems.length === 0) return { value };
    return {
      problem: `Your answer does not fit the JSON Schema of responseFormat: ${problems.slice(0, 5).join('; ')}. Answer with the corrected JSON and nothing else.`,
    };
  };
