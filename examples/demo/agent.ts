import type { Client, OperationRequest } from '../../packages/client/src/client.ts';
import { type ChatRequest, requestMessageText, type ToolCallAnswer } from '../model-stand-in.ts';
import { DemoError } from './demo-error.ts';
import { count, heading, liveText, printLabelled, shortDuration } from './output.ts';

const question = 'How many degrees farther north does the airport SFO lie than LAX? Both are in CA.';

/** Finds airports among the records, and computes with what it finds. */
const guide = (model: string): OperationRequest<'agents.create'>['body'] => ({
  name: 'Airport expert',
  config: {
    model,
    systemPrompt:
      'You answer questions about airports. Each airport is a record: its type is the state, its name the IATA code. Look facts up, and calculate with the calculator. Answer in one sentence.',
    loopConfig: { maxTurns: 8 },
    tools: { toolIds: ['builtin:record-search', 'builtin:calculator'] },
  },
});

/** Creates an agent with two tools and asks it a question. Prints what it does as it happens. */
export async function askAgent(client: Client, model: string): Promise<void> {
  heading('An agent with two tools, streamed: POST /v1/agents/{id}/execute');
  const { id } = await client.agents.create({ body: guide(model) });
  printLabelled('Question', question);
  const body = { messages: [{ role: 'user' as const, content: question }] };
  let words: ReturnType<typeof liveText> | undefined;
  for await (const event of client.agentRuns.stream({ params: { id }, body })) {
    if (event.type === 'tool_input_complete') printLabelled('Calls', JSON.stringify(event.parameters));
    else if (event.type === 'tool_complete') {
      printLabelled(
        'Result',
        `${event.toolName}: ${JSON.stringify(event.result ?? event.error).slice(0, 120)}`,
      );
    } else if (event.type === 'text_start') words = liveText('Answer');
    else if (event.type === 'text_delta') words?.write(event.delta);
    else if (event.type === 'text_complete') words?.end();
    else if (event.type === 'execution_complete') {
      const { input, output } = event.totalTokens;
      const costs = `${count(input + output)} tokens, ${event.totalCost ?? 'an unknown number of'} USD`;
      printLabelled('End', `${event.iterations} turns: ${costs} (${shortDuration(event.durationMs)})`);
      if (!event.success) throw new DemoError(`The agent failed: ${event.error}`);
    }
  }
}

/** What the stand-in does for the agent: it looks both airports up, subtracts, and answers. */
export function standInAgent({ messages }: ChatRequest): string | ToolCallAnswer {
  const results = messages.filter(({ role }) => role === 'tool').map(requestMessageText);
  const latitudes = results.slice(0, 2).map((text) => /latitude\W+(-?[\d.]+)/.exec(text)?.[1] ?? '0');
  const [found, , difference] = results;
  if (!found) {
    const search = (name: string) => ({
      name: 'record-search',
      arguments: { type: 'CA', name, fields: ['name', 'latitude'] },
    });
    return { toolCalls: [search('SFO'), search('LAX')] };
  }
  if (!difference) {
    return { toolCalls: [{ name: 'calculator', arguments: { expression: latitudes.join(' - ') } }] };
  }
  const degrees = Number(/-?[\d.]+/.exec(difference)?.[0]).toFixed(2);
  return `The stand-in writes: SFO lies ${degrees} degrees farther north than LAX.`;
}
