import { expect, test } from 'vitest';
import type { ModelMessage, ModelRequest } from '../../../../shared/adapters/ports/model-port.ts';
import { runLoop } from '../../../../shared/execution/agent-loop/loop.ts';
import { createInitialState } from '../../../../shared/execution/agent-loop/state.ts';
import { fakeTool } from '../../../support/files/runnable-tools.ts';
import { anthropic } from '../../../support/providers/anthropic.ts';
import { bedrock } from '../../../support/providers/bedrock.ts';
import { wires } from '../../../support/providers/index.ts';
import { startProvider } from '../../../support/providers/stand-in.ts';
import { type ReceivedRequest, type Wire, weather } from '../../../support/providers/wire.ts';

/** Some 1,400 tokens by the estimate, where the model caches from 1,024 on. */
const long = 'The rain falls on Oslo. '.repeat(200);
const call = { type: 'tool-call', id: 'call12345', name: 'weather', input: { city: 'Oslo' } } as const;
const conversation = (system: string): ModelMessage[] => [
  { role: 'system', content: system },
  { role: 'user', content: 'How is the weather?' },
  { role: 'assistant', content: [call] },
  { role: 'tool', content: [{ type: 'tool-result', id: call.id, name: call.name, output: { degrees: 3 } }] },
];

const isMark = (value: unknown) => {
  const { cachePoint, cache_control } = (value ?? {}) as Record<string, unknown>;
  return cachePoint !== undefined || cache_control !== undefined;
};

/** The paths in the body at which it has marks. */
function marksIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, member]) => marksIn(member, `${path}/${name}`));
  return isMark(value) ? [path, ...inside] : inside;
}

async function marksOf(wire: Wire, request: Partial<ModelRequest>, modelId = wire.modelId) {
  const { received, ask } = await startProvider(wire);
  await ask({ model: modelId, tools: [weather], messages: conversation(long), ...request });
  return marksIn(received[0]?.body);
}
const longTool = { ...weather, description: long };

test.each([
  { wire: anthropic, places: ['/messages/1/content/0', '/system/0', '/tools/1'] },
  { wire: bedrock, places: ['/messages/1/content/1', '/system/1', '/toolConfig/tools/2'] },
])(
  '$wire.title: the tools, the system prompt and the last message but one end with a mark',
  async ({ wire, places }) => {
    const marks = await marksOf(wire, { tools: [weather, longTool] });
    expect(marks.toSorted()).toEqual(places);
  },
);

test.each([anthropic, bedrock])(
  '$title: after many calls at once, what the request before marked is marked again',
  async (wire) => {
    const turnOf = (count: number): ModelMessage[] => {
      const ids = Array.from({ length: count }, (_, n) => `call${n}`);
      const results = ids.map((id) => ({
        type: 'tool-result' as const,
        id,
        name: call.name,
        output: 'rain',
      }));
      return [
        { role: 'assistant', content: ids.map((id) => ({ ...call, id })) },
        { role: 'tool', content: results },
      ];
    };
    const begun = conversation(long).slice(0, 2);
    const few = await marksOf(wire, { messages: [...begun, ...turnOf(9), ...turnOf(9)] });
    expect(few.filter((path) => path.startsWith('/messages'))).toHaveLength(1);
    const many = await marksOf(wire, {
      messages: [...begun, ...turnOf(11), ...turnOf(11)],
      tools: [longTool],
    });
    expect(many).toHaveLength(4);
    expect(many.filter((path) => /^\/messages\/[13]\//.test(path))).toHaveLength(2);
  },
);

test.each([anthropic, bedrock])('$title: what is too short for the model has no mark', async (wire) => {
  expect(await marksOf(wire, { messages: conversation('Be brief') })).toEqual([]);
  const late = conversation('Be brief').with(1, { role: 'user', content: long });
  expect(await marksOf(wire, { messages: late })).toHaveLength(1);
  // The tools alone are too short, with the system prompt they are not.
  expect(await marksOf(wire, {})).toHaveLength(2);
});

test.each([anthropic, bedrock])('$title: the last message has no mark', async (wire) => {
  const messages: ModelMessage[] = [{ role: 'user', content: long }];
  expect(await marksOf(wire, { messages })).toEqual([]);
});

test.each([anthropic, bedrock])('$title: `promptCaching: off` marks nothing', async (wire) => {
  expect(await marksOf(wire, { promptCaching: 'off' })).toEqual([]);
  const { received, ask } = await startProvider(wire, { model: { promptCaching: 'off' } });
  const request = { tools: [weather], messages: conversation(long) };
  await ask(request);
  await ask({ ...request, promptCaching: 'auto' });
  expect(received.map(({ body }) => marksIn(body).length)).toEqual([0, 2]);
});

test.each([
  { wire: anthropic, modelId: 'claude-of-tomorrow' },
  { wire: bedrock, modelId: 'amazon.nova-pro-v1:0' },
  { wire: bedrock, modelId: 'arn:aws:bedrock:eu-central-1:1:application-inference-profile/x' },
])('$modelId, of which the catalog knows no minimum, gets no marks', async ({ wire, modelId }) => {
  expect(await marksOf(wire, { tools: [longTool] }, modelId)).toEqual([]);
});

const tool = fakeTool(weather, async () => ({ output: { degrees: 3 } }));

/** A request without its marks, which are no part of what a provider compares. */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((each) => !('cachePoint' in Object(each))).map(withoutMarks);
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'cache_control');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutMarks(member)]));
}

/** The JSON of what the second request begins with, if the first one has it too. */
function beginningIn({ body: first }: ReceivedRequest, { body: second }: ReceivedRequest) {
  const members = Object.entries(first).map(([name, value]) => {
    const other = second[name];
    return [name, Array.isArray(value) && Array.isArray(other) ? other.slice(0, value.length) : other];
  });
  return JSON.stringify(withoutMarks(Object.fromEntries(members)));
}

test.each(wires)('$title: each turn of an agent begins with the bytes of the one before', async (wire) => {
  const reply = { call: { id: 'call12345', name: 'weather', pieces: ['{"city"', ':"Oslo"}'] } };
  const { received, model } = await startProvider(wire, { reply: { ...reply, stop: 'tool-calls' } });
  const request = { model: wire.modelId, streamed: false, ...wire.always };
  const signal = new AbortController().signal;
  const loop = { model, request, tools: [tool], signal, limits: { callsMax: 9 }, turnsMax: 4 };
  const spent = () => ({ inputTokens: 0, outputTokens: 0, cost: '0' });
  let ids = 0;
  const world = { newId: () => `id_${ids++}`, now: () => new Date(), spent };
  const state = createInitialState(conversation(long).slice(0, 2));
  for await (const _event of runLoop({ ...loop, ...world } as never, state));
  expect(received).toHaveLength(4);
  for (const [n, later] of received.slice(1).entries()) {
    const earlier = received[n] as ReceivedRequest;
    expect(beginningIn(earlier, later)).toBe(JSON.stringify(withoutMarks(earlier.body)));
  }
});
