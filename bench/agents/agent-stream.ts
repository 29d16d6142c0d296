import { streamText } from 'ai';
import type { ModelPort } from '../../shared/adapters/ports/model-port.ts';
import { serverSentEvent } from '../../shared/platform/http/responses/server-sent-events.ts';
import { agentEvents } from '../../shared/protocols/run-events/agent-events.ts';
import { cpuSamples, samplingFacts } from '../measure/cpu-samples.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { agentModels, startModelServer } from '../measure/stack.ts';
import { httpModel, memoryScope, startedRun, theirHttpModel } from './agent-ways.ts';

const pieces = 500;

/** (w) A streamed run of an agent with a long answer, beside the stream of the AI SDK; the table answers at once. */
export async function measureAgentStream(): Promise<Figure[]> {
  printProgress(`w: CPU of a streamed run of ${pieces} pieces, against the stream of the AI SDK`);
  using models = await startModelServer(agentModels);
  const model = httpModel(models.url);
  const samples = await cpuSamples({ ours: () => ourStream(model), sdk: () => theirStream(models.url) });
  const of = (value: (sample: (typeof samples)[number]) => number) => round(median(samples.map(value)));
  return [
    {
      figure: 'w',
      what: `CPU time of a streamed run whose answer has ${pieces} pieces, as server-sent events, as a multiple of the AI SDK’s stream as JSON`,
      value: of(({ ours, sdk }) => ours / sdk),
      unit: 'times',
      goal: { atMost: 1.5 },
      details: { oursMs: of(({ ours }) => ours), aiSdkMs: of(({ sdk }) => sdk), ...samplingFacts },
    },
  ];
}

async function ourStream(model: ModelPort): Promise<void> {
  const { events } = await startedRun(memoryScope(), model, { toolIds: [], streamed: true });
  await readAll(agentEvents(events), (data) => serverSentEvent({ event: data.type, id: data.seq, data }));
}

const theirStream = (url: string) =>
  readAll(streamText({ model: theirHttpModel(url), prompt: 'Tell me a long story' }).fullStream, (part) =>
    JSON.stringify(part),
  );

async function readAll<T>(parts: AsyncIterable<T>, toText: (part: T) => string): Promise<void> {
  let read = 0;
  for await (const part of parts) if (toText(part)) read++;
  if (read < pieces) throw new Error(`There were only ${read} pieces`);
}
