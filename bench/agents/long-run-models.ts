import { startModelStandIn } from '../../examples/model-stand-in.ts';

/** A model that calls the first tool in every turn in which it may. */
const { url, requests } = await startModelStandIn({
  answer: ({ messages, tools: [tool] = [], tool_choice }) => {
    // They are kept for tests, and are long here.
    requests.length = 0;
    if (!tool || tool_choice === 'none') return 'I have read everything.';
    const page = `https://example.com/${messages.length}`;
    return { toolCalls: [{ name: tool.function.name, arguments: { url: page } }] };
  },
});
process.stdout.write(`GENERIC_OPENAI_BASE_URL=${url}\n`);
