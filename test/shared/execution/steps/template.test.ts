import { expect, test } from 'vitest';
import type { StepEvent } from '../../../../shared/domain/flows/steps/step.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { configProblems, runStep } from './run-step.ts';

const variables = { _record: { name: 'Oslo', metadata: { size: 3 } }, list: [1, 2] };

test('renders the template with the variables and its own inputs', async () => {
  const config = {
    template: '{{ title }}: {{ _record.name }} {{ numbers[1] }}',
    inputs: { title: 'City {{ _record.metadata.size }}', numbers: '{{ list }}' },
    outputFormat: 'markdown',
    outputVariable: 'page',
  };
  expect(await runStep('template', config, { variables })).toEqual({ output: 'City 3: Oslo 2' });
});

test('a template over the limits fails the step permanently', async () => {
  const bomb = runStep('template', { template: '{% for i in (1..999999999) %}{% endfor %}' });
  expect(await stepFailure(bomb)).toMatchObject({
    retryable: false,
    message: expect.stringContaining('limit exceeded'),
  });
});

test.each([
  [{ template: 'Hi {{ name' }, 'template: output "{{ name" not closed, line:1, col:4'],
  [{}, 'template: Invalid input: expected string, received undefined'],
  [
    { template: 'x', outputFormat: 'pdf' },
    'outputFormat: Invalid option: expected one of "text"|"markdown"|"html"|"email-html"',
  ],
  [{ template: 'x', inputs: { a: ['{{'] } }, 'inputs.a.0: output "{{" not closed, line:1, col:1'],
  [{ template: 'x', partials: {} }, ': Unrecognized key: "partials"'],
  [{ template: 'x', outputVariable: '_record' }, 'outputVariable: This name is reserved; choose another'],
  [{ template: 'x', outputVariable: '1st' }, expect.stringContaining('outputVariable: A variable name')],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('template', config)).toEqual([problem]);
});

test('streams its text, or an artifact, to listeners', async () => {
  const events: StepEvent[] = [];
  const emit = (event: StepEvent) => void events.push(event);
  await runStep('template', { template: 'hello', streamOutput: true }, { emit });
  await runStep('template', { template: '# Hi', outputFormat: 'markdown', asArtifact: true }, { emit });
  await runStep('template', { template: 'silent' }, { emit });
  expect(events).toEqual([
    { type: 'text_start' },
    { type: 'text_delta', delta: 'hello' },
    { type: 'text_complete', text: 'hello' },
    { type: 'custom', name: 'artifact', value: { format: 'markdown', content: '# Hi' } },
  ]);
});
