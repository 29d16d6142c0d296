import { expect, test } from 'vitest';
import type { StepEvent } from '../../../../shared/domain/flows/steps/step.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { configProblems, runStep } from './run-step.ts';

const variables = { answer: { items: ['a', 'b'] }, text: 'hello' };

async function sent(config: object) {
  const events: StepEvent[] = [];
  const { output } = await runStep('send-stream', config, { variables, emit: (event) => events.push(event) });
  return { events, output };
}

test('text is streamed as text, other values as JSON', async () => {
  expect(await sent({ sourceVariable: 'text' })).toEqual({
    output: 'hello',
    events: [
      { type: 'text_start' },
      { type: 'text_delta', delta: 'hello' },
      { type: 'text_complete', text: 'hello' },
    ],
  });
  const { events } = await sent({ sourceVariable: 'answer.items' });
  expect(events[1]).toEqual({ type: 'text_delta', delta: '["a","b"]' });
});

test.each(['json', 'artifact'])('%s is streamed as a custom event of that name', async (streamType) => {
  const { events } = await sent({ sourceVariable: 'answer.items[1]', streamType });
  expect(events).toEqual([{ type: 'custom', name: streamType, value: 'b' }]);
});

test('without a listener it only returns the value', async () => {
  expect(await runStep('send-stream', { sourceVariable: 'text' }, { variables })).toEqual({
    output: 'hello',
  });
});

test('a variable that is not set fails the step', async () => {
  const running = runStep('send-stream', { sourceVariable: 'nobody' }, { variables });
  expect((await stepFailure(running)).message).toBe('The variable nobody is not set');
});

test.each([
  [{}, 'sourceVariable'],
  [{ sourceVariable: '{{ x }}' }, 'sourceVariable'],
  [{ sourceVariable: 'x', streamType: 'video' }, 'streamType'],
])('saving the flow rejects %j', async (config, path) => {
  expect(await configProblems('send-stream', config)).toEqual([expect.stringContaining(`${path}: `)]);
});
