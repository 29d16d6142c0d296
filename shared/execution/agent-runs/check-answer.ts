import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { jsonAnswer } from '../agent-loop/json-answer.ts';
import type { Loop } from '../agent-loop/loop.ts';

export const answerChecker =
  ({ sandbox }: Pick<Ports, 'sandbox'>, schema: JsonSchema, signal: AbortSignal): Loop['checkAnswer'] =>
  async (text) => {
    const { value, problems } = await jsonAnswer(text, schema, { sandbox, signal });
    if (problems.length === 0) return { value };
    return {
      problem: `Your answer does not fit the JSON Schema of responseFormat: ${problems.slice(0, 5).join('; ')}. Answer with the corrected JSON and nothing else.`,
    };
  };
