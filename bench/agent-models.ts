import { startModelStandIn } from '../examples/model-stand-in.ts';

/** A model that calls the first tool once, and then answers. */
const { url } = await startModelStandIn({
  answer: ({ messages, tools = [] }) =>
    tools[0] && !messages.some(({ role }) => role === 'tool')
      ? { toolCalls: [{ name: tools[0].function.name, arguments: { expression: '6 * 7' } }] }
      : 'The answer is 42, as everybody knows who has read the book.',
  delayMs: Number(process.env.MODEL_DELAY_MS ?? 0),
});
process.stdout.write(`GENERIC_OPENAI_BASE_URL=${url}\n`);
