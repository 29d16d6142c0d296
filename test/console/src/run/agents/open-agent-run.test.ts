import { expect, test } from 'vitest';
import {
  type AgentRunState,
  notStarted,
  openAgentRun,
} from '../../../../../console/src/run/agents/open-agent-run.ts';
import type { RunEvent } from '../../../../../console/src/run/parts/events.ts';

const event = (seq: number, type: string, more: object = {}) =>
  ({ type, executionId: 'exec_1', seq, ...more }) as unknown as RunEvent;

const waits = [
  event(1, 'tool_start', { toolCallId: 'call_1', toolName: 'look_up' }),
  event(2, 'await', { toolCallId: 'call_1', approvalId: 'appr_1', toolName: 'look_up' }),
];
const end = event(9, 'execution_complete', { stopReason: 'cancelled', error: 'The run was cancelled' });

async function* listOf(events: readonly RunEvent[]) {
  yield* events;
}

/** A stream that stays open until it is aborted or let go on. */
function openStream(signal: AbortSignal, ...events: RunEvent[]) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => reject(signal.reason));
  async function* stream() {
    await promise;
    yield* events;
  }
  return { stream: stream(), goOn: resolve };
}

function world(follow: (after: number | undefined, signal: AbortSignal) => AsyncIterable<RunEvent>) {
  const told: { state: AgentRunState } = { state: notStarted };
  const source = openAgentRun({
    everyMs: 5,
    follow: (_id, after, signal) => follow(after, signal),
    show: (state) => {
      told.state = state;
    },
  });
  return { source, told };
}

test('a request that continues the run is not closed by looking at it, however long it takes', async () => {
  let follows = 0;
  const { source, told } = world(() => {
    follows++;
    return listOf([]);
  });
  await source.send(() => listOf(waits));
  let aborted = false;
  const answer = Promise.withResolvers<ReturnType<typeof openStream>>();
  const sent = source.send((signal) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    const opened = openStream(signal, event(3, 'approval_complete', { approvalId: 'appr_1' }), end);
    answer.resolve(opened);
    return opened.stream;
  });
  const before = follows;
  await source.look();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(follows).toBe(before);
  (await answer.promise).goOn();
  await sent;
  expect(aborted).toBe(false);
  expect(told.state).toMatchObject({
    isSending: false,
    run: { waits: [], end: { stopReason: 'cancelled' } },
  });
});

test('a waiting run that somebody else ended has ended here too', async () => {
  const asked: (number | undefined)[] = [];
  const { source, told } = world((after) => {
    asked.push(after);
    return listOf(asked.length < 3 ? (asked.length === 1 ? waits : []) : [end]);
  });
  await source.send(() => listOf(waits));
  expect(told.state.run.waits).toHaveLength(1);
  await expect.poll(() => told.state.run.end?.error).toBe('The run was cancelled');
  expect(told.state.run.waits).toEqual([]);
  // What the request itself told is read once more, so that nothing is missing; from then on only what is new.
  expect(asked).toEqual([undefined, 2, 2]);
  expect(told.state.run.parts).toHaveLength(1);
});

test('a connection that breaks is made again; what the service refuses is shown until one tries again', async () => {
  let calls = 0;
  const { source, told } = world(() => {
    calls++;
    if (calls <= 3) throw new TypeError('network error');
    return listOf([end]);
  });
  await source.send(() => listOf(waits));
  await expect.poll(() => told.state.lost?.message).toBe('network error');
  expect(calls).toBe(3);
  await source.look();
  expect(told.state).toMatchObject({ lost: undefined, run: { end: { stopReason: 'cancelled' } } });
});

test('nothing is asked after the page is left', async () => {
  let calls = 0;
  const { source } = world(() => {
    calls++;
    return listOf([]);
  });
  await source.send(() => listOf(waits));
  source.close();
  const before = calls;
  await source.look();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(calls).toBe(before);
});
