import { postJson, timeToFirst } from '../http/first-byte.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { agentModels, type BenchStack, startBenchStack, startModelServer } from '../measure/stack.ts';
import { agentInstructions, publishedAgent } from './published-agent.ts';

const turns = 60;
const warmUpTurns = 10;
const question = 'Say something about the weather in Oslo tomorrow';

/** (t) The delay of the first text of a streamed run of an agent, relative to a direct call of the model. */
export async function measureAgentFirstText(): Promise<Figure[]> {
  printProgress('t: time to the first text of a run of an agent, against the model alone');
  using models = await startModelServer();
  using callers = await startModelServer(agentModels);
  return [
    await beyond(models.url, 'the model', [], 15, 1),
    await beyond(callers.url, 'the two calls of the model', ['builtin:calculator'], 30, 2),
  ];
}

/** @param calls How often the model is asked until it answers with a text. */
async function beyond(
  modelsUrl: string,
  whose: string,
  toolIds: string[],
  atMost: number,
  calls: number,
): Promise<Figure> {
  await using stack = await startBenchStack({ modelsUrl });
  const id = await publishedAgent(stack, { loopConfig: { maxTurns: 5 }, tools: { toolIds } });
  const times = { model: [] as number[], head: [] as number[], text: [] as number[] };
  for (let turn = -warmUpTurns; turn < turns; turn++) {
    const model = await timeToFirst(() => askModel(modelsUrl), '"content":');
    const head = await timeToFirst(() => askAgent(stack, id), 'event: execution_start');
    const text = await timeToFirst(() => askAgent(stack, id), 'event: text_delta');
    if (turn < 0) continue;
    times.model.push(model);
    times.head.push(head);
    times.text.push(text);
  }
  const modelMs = median(times.model) * calls;
  return {
    figure: 't',
    what: `time to the first text of a streamed run of an agent${toolIds.length > 0 ? ' that calls a tool first' : ''}, beyond that of ${whose}`,
    value: round(median(times.text) - modelMs, 2),
    unit: 'ms',
    goal: { atMost },
    details: {
      modelMs: round(modelMs, 2),
      agentMs: round(median(times.text), 2),
      firstEventMs: round(median(times.head), 2),
      turns,
    },
  };
}

const askModel = (url: string) =>
  postJson(`${url}/chat/completions`, 'none', {
    model: 'any',
    stream: true,
    messages: [
      { role: 'system', content: agentInstructions },
      { role: 'user', content: question },
    ],
  });

const askAgent = ({ facts }: BenchStack, id: string) =>
  postJson(`${facts.url}/v1/agents/${id}/execute`, facts.liveKey, {
    messages: [{ role: 'user', content: question }],
  });
