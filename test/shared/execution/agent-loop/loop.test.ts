import { expect, test } from 'vitest';
import type { ModelEvent, ModelPort, ModelRequest } from '../../../../shared/adapters/ports/model-port.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { newId } from '../../../../shared/core/ids.ts';
import type { Fact } from '../../../../shared/execution/agent-loop/facts.ts';
import { type Loop, runLoop } from '../../../../shared/execution/agent-loop/loop.ts';
import { createInitialState, replay } from '../../../../shared/execution/agent-loop/state.ts';
import type { RunnableTool } from '../../../../shared/execution/tools/call-tool.ts';
import { fakeTool, type MadeCall } from '../../../support/files/runnable-tools.ts';
import { noNames } from '../../../support/models/model-ports.ts';

type Call = [name: string, input: unknown];

/** A model that calls these tools, turn by turn, and then answers. Notes what it is asked. */
function callingModel(...turns: Call[][]) {
  const requests: ModelRequest[] = [];
  const model: ModelPort = {
    ...noNames,
    async *stream(request): AsyncGenerator<ModelEvent> {
      const calls = turns[requests.length] ?? [];
      requests.push(request);
      for (const [n, [name, input]] of calls.entries()) {
        yield { type: 'tool-call', id: `${requests.length}-${n}`, name, input, text: '' };
      }
      yield {
        type: 'finish',
        text: calls.length > 0 ? '' : 'done',
        message: { role: 'assistant', content: `turn ${requests.length}` },
        stopReason: calls.length > 0 ? 'tool-calls' : 'stop',
        modelUsed: 'm',
        keySource: 'platform',
        usage: null,
        cost: null,
      };
    },
  };
  return { model, requests };
}

const tool = (name: string, made?: MadeCall) => fakeTool({ name }, made);

async function loop(model: ModelPort, tools: RunnableTool[], more: Partial<Loop> = {}) {
  const request = { model: 'm', streamed: false };
  const nothing = { inputTokens: 0, outputTokens: 0, cost: '0' };
  const facts: Fact[] = [];
  const { signal } = new AbortController();
  const world = { signal, now: () => new Date(), spent: () => nothing, newId, warn() {} };
  const limits = { callsMax: 10 };
  for await (const event of runLoop(
    { model, request, tools, limits, ...world, ...more },
    createInitialState([]),
  )) {
    if (event.type === 'facts') facts.push(...event.facts);
  }
  return { facts, state: replay([], facts) };
}

const resultsSentIn = ({ messages }: ModelRequest) =>
  messages.flatMap((message) => (message.role === 'tool' ? message.content : []));

test('calls of a turn run side by side; their results are sent in the order of the calls', async () => {
  const { model, requests } = callingModel([
    ['slow', {}],
    ['quick', {}],
  ]);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = tool('slow', async () => {
    await released;
    return { output: 'slow' };
  });
  const quick = tool('quick', async () => {
    release();
    return { output: 'quick' };
  });
  const { facts, state } = await loop(model, [slow, quick]);
  expect(state.lastTurn?.text).toBe('done');
  expect(resultsSentIn(requests[1] as ModelRequest).map(({ output }) => output)).toEqual(['slow', 'quick']);
  const finished = facts.flatMap((fact) => (fact.type === 'result' ? [fact.output] : []));
  expect(finished).toEqual(['quick', 'slow']);
});

test('at most five calls run at the same time', async () => {
  const { model } = callingModel(Array.from({ length: 20 }, (): Call => ['t', {}]));
  let [running, most] = [0, 0];
  const counted = tool('t', async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running--;
    return { output: 1 };
  });
  await loop(model, [counted], { limits: { callsMax: 100 } });
  expect(most).toBe(5);
});

test('a failure, an unknown tool and arguments that are no JSON are results that the model sees', async () => {
  const { model, requests } = callingModel([
    ['broken', {}],
    ['unknown', {}],
    ['broken', undefined],
  ]);
  const broken = tool('broken', async () => {
    throw new StepError('It broke');
  });
  await loop(model, [broken]);
  expect(resultsSentIn(requests[1] as ModelRequest)).toMatchObject([
    { output: 'It broke', failed: true },
    { output: 'There is no tool unknown; the tools are broken', failed: true },
    { output: 'The arguments are not valid JSON', failed: true },
  ]);
});

test('limits of single tools and of all together; then the model must answer without tools', async () => {
  const { model, requests } = callingModel(
    [
      ['a', {}],
      ['a', {}],
    ],
    [
      ['b', {}],
      ['b', {}],
    ],
    [['b', {}]],
  );
  const limits = { callsMax: 3, callsMaxOf: { a: 1 } };
  await loop(model, [tool('a'), tool('b')], { limits });
  const [, second, third] = requests as [ModelRequest, ModelRequest, ModelRequest];
  expect(resultsSentIn(second)).toMatchObject([
    { output: 'a' },
    { output: 'The limit of 1 calls of a is reached; answer with what you have' },
  ]);
  expect(resultsSentIn(third).slice(2)).toMatchObject([
    { output: 'b' },
    { output: 'The limit of 3 tool calls is reached; answer with what you have' },
  ]);
  expect(requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'none']);
  // It calls one all the same: the loop ends.
  expect(requests).toHaveLength(3);
});

test('a required call is required in the first turn only', async () => {
  const { model, requests } = callingModel([['a', {}]]);
  await loop(model, [tool('a')], { toolChoice: 'required' });
  expect(requests.map(({ toolChoice }) => toolChoice)).toEqual(['required', 'auto']);
});

test('a required tool that may not be called does not keep the model from its answer', async () => {
  const { model, requests } = callingModel();
  const rules = { requiredTools: ['a'], limits: { callsMax: 5, callsMaxOf: { a: 0 } }, turnsMax: 4 };
  const { state } = await loop(model, [tool('a')], rules);
  expect(requests).toHaveLength(1);
  expect(state.end?.stopReason).toBe('end_turn');
});

test('an output that no model could read becomes a failure', async () => {
  const { model, requests } = callingModel([['a', {}]]);
  await loop(model, [tool('a', async () => ({ output: 'x'.repeat(200_001) }))]);
  expect(resultsSentIn(requests[1] as ModelRequest)).toMatchObject([
    { failed: true, output: expect.stringContaining('more than 200000 characters') },
  ]);
});

test('a bug in a tool ends the loop, after the running calls have ended', async () => {
  const { model } = callingModel([
    ['bug', {}],
    ['slow', {}],
  ]);
  let ended = false;
  const slow = tool('slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    ended = true;
    return { output: 1 };
  });
  const bug = tool('bug', async () => {
    throw new TypeError('a bug');
  });
  await expect(loop(model, [bug, slow])).rejects.toThrow(new TypeError('a bug'));
  expect(ended).toBe(true);
});
