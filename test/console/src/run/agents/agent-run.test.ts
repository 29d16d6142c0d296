import { expect, test } from 'vitest';
import { emptyRun, withAgentEvents } from '../../../../../console/src/run/agents/agent-run.ts';
import type { RunEvent } from '../../../../../console/src/run/parts/events.ts';

const events = [
  { type: 'execution_start', kind: 'agent' },
  { type: 'turn_start', id: 'turn_1', iteration: 1 },
  { type: 'text_start', id: 'text_1' },
  { type: 'text_delta', id: 'text_1', delta: 'Na' },
  { type: 'text_delta', id: 'text_1', delta: 'irobi' },
  { type: 'text_complete', id: 'text_1', text: 'Nairobi' },
  { type: 'tool_start', toolCallId: 'call_1', toolName: 'look_up', toolType: 'builtin' },
  { type: 'tool_input_complete', toolCallId: 'call_1', parameters: { city: 'Nairobi' } },
  { type: 'turn_complete', id: 'turn_1', iteration: 1, stopReason: 'tool_calls', content: 'Nairobi' },
  { type: 'await', toolCallId: 'call_1', approvalId: 'appr_1', toolName: 'look_up' },
  { type: 'await', toolCallId: 'call_2', toolName: 'ask_me' },
  { type: 'approval_complete', approvalId: 'appr_1', decision: 'denied', reason: 'No' },
  { type: 'custom', name: 'reflection', value: { text: 'Think again' } },
].map((event, seq) => ({ ...event, executionId: 'exec_1', seq }) as unknown as RunEvent);

const run = withAgentEvents(emptyRun, events);

test('a run has its parts in their order, and what it still waits for', () => {
  expect(run.parts).toMatchObject([
    { kind: 'turn', number: 1, outcome: { stopReason: 'tool_calls' } },
    { kind: 'text', text: 'Nairobi' },
    { kind: 'tool', name: 'look_up', type: 'builtin', input: { city: 'Nairobi' } },
    { kind: 'decision', decision: 'denied', reason: 'No' },
    { kind: 'note', name: 'reflection', value: { text: 'Think again' } },
  ]);
  expect(run.waits).toMatchObject([{ toolCallId: 'call_2', toolName: 'ask_me' }]);
});

test('events that are read again change nothing, one by one or together', () => {
  expect(withAgentEvents(run, events)).toEqual(run);
  expect(events.reduce((before, event) => withAgentEvents(before, [event]), emptyRun)).toEqual(run);
});

test('after the end, a run waits for nothing', () => {
  const end = { type: 'execution_error', executionId: 'exec_1', seq: 20, error: { message: 'Too late' } };
  expect(withAgentEvents(run, [end as unknown as RunEvent])).toMatchObject({
    waits: [],
    end: { status: 'failed', error: 'Too late' },
  });
});
