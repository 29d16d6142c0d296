import { startModelStandIn } from '../../examples/model-stand-in.ts';

const longAnswer = Array.from({ length: 500 }, (_, n) => `word${n}`).join(' ');

/** A model that calls the first tool once, and then answers. Without tools it answers with 500 words. */
const { url } = await startModelStandIn({
  answer: ({ messages, tools = [] }) => {
    if (!tools[0]) return longAnswer;
    return messages.some(({ role }) => role === 'tool')
      ? 'The answer is 42, as everybody knows who has read the book.'
      : { toolCalls: [{ name: tools[0].function.name, arguments: { expression: '6 * 7' } }] };
  },
  delayMs: Number(process.env.MODEL_DELAY_MS ?? 0),
});
process.stdout.write(`GENERIC_OPENAI_BASE_URL=${url}\n`);
