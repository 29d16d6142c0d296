import { checkValue } from '../../adapters/json-schema/json-schema.ts';
import type { JsonSchema } from '../../adapters/model-port.ts';
import type { Ports } from '../../adapters/ports.ts';
import { jsonIn } from '../../core/json.ts';
import type { Loop } from '../agent-loop/loop.ts';

/** Requires answers to be JSON that fits a schema. */
export const answerChecker =
  ({ sandbox }: Pick<Ports, 'sandbox'>, schema: JsonSchema, signal: AbortSignal): Loop['checkAnswer'] =>
  async (text) => {
    const value = jsonIn(/^\s*```[\w-]*\r?\n([\s\S]*?)\r?\n?```\s*$/.exec(text)?.[1] ?? text);
    const problems =
      value === undefined
        ? [{ path: '', message: 'it is not JSON' }]
        : await checkValue(sandbox, schema, value, { signal });
    if (problems.length === 0) return { value };
    const listed = problems.slice(0, 5).map(({ path, message }) => (path ? `${path}: ${message}` : message));
    return {
      problem: `Your answer does not fit the JSON Schema of responseFormat: ${listed.join('; ')}. Answer with the corrected JSON and nothing else.`,
    };
  };
