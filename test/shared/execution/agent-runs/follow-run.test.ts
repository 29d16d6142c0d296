import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Fact, RequestedCall } from '../../../../shared/execution/agent-loop/facts.ts';
import type { LoopEvent } from '../../../../shared/execution/agent-loop/loop.ts';
import { agentRunPartition } from '../../../../shared/execution/agent-runs/agent-execution.ts';
import { followRun } from '../../../../shared/execution/agent-runs/follow-run.ts';
import { chunkStore } from '../../../../shared/execution/agent-runs/live-output.ts';
import type { NumberedEvent } from '../../../../shared/execution/agent-runs/run-events.ts';
import { openJournal } from '../../../../shared/execution/agent-runs/run-journal.ts';
import { loadRun } from '../../../../shared/execution/agent-runs/run-log.ts';
import { appendFacts } from '../../../../shared/execution/agent-runs/take-run.ts';
import { newAgentExecution } from '../../../support/agents/agent-log.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';

const runtime = countingRuntime();
const readersCount = 30;
const resultsCount = 40;
const spent = { inputTokens: 1, outputTokens: 1, cost: '0' };
const at = '2026-11-20T12:00:00.000Z';

const turn = (calls: readonly RequestedCall[]): Fact => ({
  type: 'turn',
  turn: 1,
  turnId: 'turn_1',
  text: '',
  reasoning: '',
  sources: [],
  calls,
  spent,
  at,
  stopReason: 'tool-calls',
  modelUsed: 'a/b',
  usage: null,
  durationMs: 1,
  message: { role: 'assistant', content: [] },
});

const callOf = (n: number): RequestedCall => ({
  id: `call_${n}`,
  modelId: `${n}`,
  name: 'long',
  toolId: 'tool_1',
  toolType: 'custom',
  input: {},
});
const resultOf = ({ id: callId }: RequestedCall): Fact => ({
  type: 'result',
  callId,
  toolName: 'long',
  output: 'x'.repeat(1_000),
  failed: false,
  spent,
  at,
  durationMs: 1,
});

test('all readers of a run in a process share what is read of it, and each gets every event', async () => {
  const scope = runtime.scopeOf(`user:${randomUUID()}`);
  const execution = await newAgentExecution(scope);
  const { id } = execution;
  const calls = Array.from({ length: resultsCount }, (_, n) => callOf(n));
  const facts = [turn(calls), ...calls.map(resultOf).slice(1)];
  await openJournal(scope, { execution, log: [] }).record(facts);
  const read = () => Array.fromAsync(followRun(scope, id, -1, new AbortController().signal));
  runtime.reset();
  const readers = Array.from({ length: readersCount }, read);
  const late = new Promise((resolve) => setTimeout(resolve, 600)).then(read);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const commands = [...runtime.consumed.commands];
  const end: Fact = { type: 'end', stopReason: 'end_turn', output: 'done', error: null, at };
  await appendFacts(scope, await loadRun(scope, id), [resultOf(callOf(0)), end]);
  const all = await Promise.all([...readers, late]);
  const seqs = all[0]?.map(({ seq }) => seq);
  expect(all[0]?.at(-1)?.event).toMatchObject({ type: 'ended' });
  expect(all[0]?.filter(({ event }) => event.type === 'tool_complete')).toHaveLength(resultsCount);
  for (const events of all) expect(events.map(({ seq }) => seq)).toEqual(seqs);
  // Six pages for the first readers and the late one, and a few looks. Each reader by itself took 100 and more.
  expect(commands.filter((name) => name === 'Query').length).toBeLessThan(25);
  expect(commands.filter((name) => name === 'Get').length).toBeLessThan(10);
});

test('a run that is removed in the middle of a turn ends for those who saw the turn begin', async () => {
  const scope = runtime.scopeOf(`user:${randomUUID()}`);
  const { id } = await newAgentExecution(scope);
  const events = JSON.stringify([
    { type: 'turn-started', turnId: 'turn_1', turn: 1 },
    { type: 'text-delta', text: 'Hel' },
  ] satisfies LoopEvent[]);
  await chunkStore(scope, id).write({ fact: 0, restarts: 0, n: 0, seq: 1, events });
  const read: NumberedEvent[] = [];
  for await (const event of followRun(scope, id, -1, new AbortController().signal)) {
    read.push(event);
    if (event.event.type === 'text_delta')
      await scope.table.removeAll(await scope.table.queryAll({ partition: agentRunPartition(id) }));
  }
  expect(read.map(({ event }) => event)).toMatchObject([
    { type: 'started' },
    { type: 'turn_start', id: 'turn_1' },
    { type: 'text_start' },
    { type: 'text_delta' },
    { type: 'text_complete' },
    { type: 'turn_complete', id: 'turn_1', success: false, error: 'The agent was deleted' },
    { type: 'ended', end: { stopReason: 'cancelled' } },
  ]);
  expect(read.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});
