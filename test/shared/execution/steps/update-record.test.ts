import { expect, test } from 'vitest';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';
import { configProblems, runStep } from './run-step.ts';

const id = 'record_01k9m4v7d3x8qz5w2r6t0y1hbn';
const record = { id, type: 'customer', name: 'Ada', metadata: {}, createdAt: 'c', updatedAt: 'u' };
const variables = { id, scores: [1, 2], note: 'hi' };

/** Runs the step and gives its output, and what it asked of the records port. */
async function updated(config: object, answer: () => typeof record | undefined = () => record) {
  const asked: unknown[] = [];
  const update = async (...arguments_: unknown[]) => {
    asked.push(arguments_);
    return answer();
  };
  const ports = { records: { ...emptyWorld.records, update } };
  const { output } = await runStep('update-record', config, { variables, ports });
  return { asked, output };
}

test('renders the updates, keeps the types of single references, and returns the record', async () => {
  const updates = { scores: '{{ scores }}', note: 'say {{ note }}', deep: { n: 1, of: ['{{ note }}'] } };
  const filled = { scores: [1, 2], note: 'say hi', deep: { n: 1, of: ['hi'] } };
  expect(await updated({ recordId: '{{ id }}', updates })).toEqual({
    asked: [[{ id }, filled, 'merge']],
    output: record,
  });
});

test.each([
  [
    { type: 'customer', name: 'Ada' },
    { type: 'customer', name: 'Ada' },
  ],
  [{ recordFilter: { type: 'customer' } }, { type: 'customer' }],
])('%j selects the record', async (names, selector) => {
  const { asked } = await updated({ ...names, updates: { a: null }, mergeStrategy: 'deep-merge' });
  expect(asked).toEqual([[selector, { a: null }, 'deep-merge']]);
});

test.each([
  [{ id }, `There is no record with the id "${id}"`],
  [{ id: '{{ gone }}' }, 'There is no record with the id ""'],
  [
    { recordType: 'customer', recordName: 'Bob' },
    'There is no record of the type "customer" with the name "Bob"',
  ],
  [
    { recordFilter: { type: 'customer' } },
    'There is no record of the type "customer" that matches the filter',
  ],
])('%j that matches no record fails permanently', async (names, message) => {
  const failure = await stepFailure(updated({ ...names, updates: {} }, () => undefined));
  expect(failure).toMatchObject({ message, retryable: false });
});

test('a rejection by the store is the step’s failure', async () => {
  const refused = new StepError('The record was rejected: too large', { retryable: true });
  const failing = updated({ id, updates: {} }, () => {
    throw refused;
  });
  expect(await stepFailure(failing)).toBe(refused);
});

test.each([
  [{ updates: {} }, [expect.stringMatching(/^: Select the record by id/)]],
  [{ id }, ['updates: Invalid input: expected record, received undefined']],
  [{ id, updates: ['a'] }, ['updates: Invalid input: expected record, received array']],
  [{ id, updates: '{{ note }}' }, ['updates: Invalid input: expected record, received string']],
  [{ id, updates: { a: { b: '{{ x' } } }, [expect.stringMatching(/^updates.a.b: .*not closed/)]],
  [
    { id, updates: {}, mergeStrategy: 'overwrite' },
    [expect.stringMatching(/^mergeStrategy: Invalid option/)],
  ],
])('%j is rejected', async (config, problems) => {
  expect(await configProblems('update-record', config)).toEqual(problems);
});
