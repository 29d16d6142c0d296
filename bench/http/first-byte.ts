import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { type BenchStack, startBenchStack, startModelServer } from '../measure/stack.ts';

const turns = 60;
const prompt = 'Say something about the weather in Oslo tomorrow';

/** (g) The delay of the first text of a streamed run, relative to a direct call of the model. */
export async function measureFirstByte(): Promise<Figure[]> {
  printProgress('g: time to the first text of a dispatched run, against the model alone');
  using models = await startModelServer();
  await using stack = await startBenchStack({ modelsUrl: models.url });
  const direct: number[] = [];
  const dispatched: number[] = [];
  const head: number[] = [];
  for (let turn = -10; turn < turns; turn++) {
    const alone = await timeToFirst(() => askModel(models.url), '"content":');
    const response = timeToFirst(() => askService(stack), 'event: execution_start');
    const began = await response;
    const through = await timeToFirst(() => askService(stack), 'event: text_delta');
    if (turn < 0) continue;
    direct.push(alone);
    head.push(began);
    dispatched.push(through);
  }
  return [
    {
      figure: 'g',
      what: 'time to the first text of a dispatched run, beyond the model’s own',
      value: round(median(dispatched) - median(direct), 2),
      unit: 'ms',
      goal: { atMost: 15 },
      details: {
        modelMs: round(median(direct), 2),
        dispatchedMs: round(median(dispatched), 2),
        firstEventMs: round(median(head), 2),
        turns,
      },
    },
  ];
}

/** From the request to the first chunk with text. Reads the rest too, so that runs do not overlap. */
export async function timeToFirst(ask: () => Promise<Response>, text: string): Promise<number> {
  const began = performance.now();
  const { body } = await ask();
  let seen = '';
  let at: number | undefined;
  for await (const chunk of (body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream())) {
    seen += chunk;
    if (at === undefined && seen.includes(text)) at = performance.now() - began;
  }
  if (at === undefined) throw new Error(`There is no ${text} in the answer: ${seen.slice(0, 500)}`);
  return at;
}

const askModel = (url: string) =>
  postJson(`${url}/chat/completions`, 'none', {
    model: 'any',
    stream: true,
    messages: [{ role: 'user', content: prompt }],
  });

const askService = ({ facts }: BenchStack) =>
  postJson(`${facts.url}/v1/dispatch`, facts.liveKey, {
    flow: {
      name: 'Bench',
      steps: [{ type: 'prompt', name: 'Ask', config: { model: 'generic-openai/any', userPrompt: prompt } }],
    },
  });

export async function postJson(url: string, token: string, body: object): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}
