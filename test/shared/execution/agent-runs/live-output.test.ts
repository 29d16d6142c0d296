import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ModelOutputEvent } from '../../../../shared/execution/agent-loop/loop.ts';
import { chunkStore, openLiveOutput } from '../../../../shared/execution/agent-runs/live-output.ts';
import { newAgentExecution } from '../../../support/agents/agent-log.ts';
import { logged } from '../../../support/data/log-lines.ts';
import { eventually } from '../../../support/stack/eventually.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';

const saying = (text: string): ModelOutputEvent => ({ type: 'text-delta', text });

/** Pieces of a followed run, and how many facts it has. */
async function world() {
  const scope = countingRuntime().scopeOf(`user:${randomUUID()}`);
  const execution = await newAgentExecution(scope);
  const followedUntil = new Date(Date.now() + 60_000).toISOString();
  let seq = 1;
  let fact = 0;
  const numbering = {
    nextSeq: () => seq,
    nextFact: () => fact,
    *numberEvents() {
      seq++;
      yield* [];
    },
  };
  const pieces = openLiveOutput(scope, { ...execution, followedUntil }, numbering, true);
  const store = chunkStore(scope, execution.id);
  return {
    say: (...events: ModelOutputEvent[]) => {
      for (const event of events) for (const _event of pieces.show(event));
    },
    pieces,
    followedUntil,
    read: (of: number) => store.read(of, undefined),
    async record() {
      await pieces.settle();
      fact++;
    },
  };
}

test('a text longer than an item takes becomes several pieces; each fits', async () => {
  const { say, read } = await world();
  const part = '語'.repeat(20_000);
  say(saying(part), saying(part), saying(part), saying(part), saying(part));
  await eventually(async () => {
    const pieces = await read(0);
    expect(pieces.length).toBeGreaterThan(1);
    const texts = pieces.flatMap(({ events }) => events).map((event) => (event as { text: string }).text);
    expect(texts.join('')).toBe(part.repeat(5));
    expect(pieces.map(({ n }) => n)).toEqual(pieces.map((_, n) => n));
  });
});

test('an event that no item takes is left to the fact; the next turn is shown again', async () => {
  const { say, read, record, pieces, followedUntil } = await world();
  say(saying('Hello '));
  await eventually(async () => expect(await read(0)).toHaveLength(1));
  await pieces.updateFollowers({});
  say(saying('x'.repeat(300_000)), saying('more'));
  const { lines } = await logged(() => pieces.updateFollowers({ followedUntil }));
  expect(lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('could not be shown') }]);
  await record();
  say(saying('Again'));
  await eventually(async () =>
    expect((await read(1)).map(({ events }) => events)).toEqual([[saying('Again')]]),
  );
  expect(await read(0)).toHaveLength(1);
});

test('what was said before anybody followed is shown to the first who does; nothing after the last', async () => {
  const { say, read, pieces, followedUntil } = await world();
  await pieces.updateFollowers({});
  say({ type: 'turn-started', turn: 1, turnId: 'turn_1' }, saying('Hel'), saying('lo'));
  expect(await read(0)).toEqual([]);
  await pieces.updateFollowers({ followedUntil });
  expect((await read(0)).map(({ events }) => events)).toEqual([
    [{ type: 'turn-started', turn: 1, turnId: 'turn_1' }, saying('Hello')],
  ]);
  await pieces.updateFollowers({ followedUntil: new Date(0).toISOString() });
  say(saying(' again'));
  await pieces.settle();
  expect(await read(0)).toHaveLength(1);
});
