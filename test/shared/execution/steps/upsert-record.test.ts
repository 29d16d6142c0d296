import { expect, test } from 'vitest';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';
import { runStep } from './run-step.ts';

const id = 'record_01k9m4v7d3x8qz5w2r6t0y1hbn';
const variables = {
  company: { name: 'Acme', city: 'Oslo' },
  found: { companies: [{ city: 'Rome' }] },
  text: 'Acme',
  list: [1],
  spoiled: JSON.parse('{"name": "x", "__proto__": {"polluted": true}}'),
};

/** Runs the step and gives what it sent to the records port beside what it put out. */
async function upserted(config: object) {
  const sent: unknown[] = [];
  const upsert = async (record: unknown) => {
    sent.push(record);
    return { id };
  };
  const outcome = await runStep(
    'upsert-record',
    { recordType: 'company', ...config },
    { variables, ports: { records: { ...emptyWorld.records, upsert } } },
  );
  return { sent, outcome };
}

test('takes the name from the object; the rest becomes metadata', async () => {
  const record = { type: 'company', name: 'Acme', metadata: { city: 'Oslo' } };
  const { sent, outcome } = await upserted({ sourceVariable: 'company' });
  expect(sent).toEqual([record]);
  expect(outcome).toEqual({ output: { id, ...record } });
});

test('takes the name from a template; then the whole object becomes metadata', async () => {
  const { sent } = await upserted({ sourceVariable: 'company', recordName: ' {{ company.city }} Ltd ' });
  expect(sent).toEqual([{ type: 'company', name: 'Oslo Ltd', metadata: { name: 'Acme', city: 'Oslo' } }]);
});

test('finds its object inside a variable', async () => {
  const { sent } = await upserted({ sourceVariable: 'found.companies[0]', recordName: 'First' });
  expect(sent).toMatchObject([{ name: 'First', metadata: { city: 'Rome' } }]);
});

test.each([
  [{ sourceVariable: 'nobody' }, 'The variable nobody is not set'],
  [{ sourceVariable: 'text' }, 'The variable text must contain a JSON object'],
  [{ sourceVariable: 'list' }, 'The variable list must contain a JSON object'],
  [{ sourceVariable: 'company.constructor' }, 'The variable company.constructor is not set'],
  [{ sourceVariable: 'found' }, 'A record name has 1 to 500 characters; set found.name'],
  [{ sourceVariable: 'company', recordName: '{{ nobody }}' }, expect.stringContaining('set {{ nobody }}')],
])('%j fails permanently and writes nothing', async (config, message) => {
  const sent: unknown[] = [];
  const records = {
    ...emptyWorld.records,
    upsert: async (record: unknown) => ({ id: String(sent.push(record)) }),
  };
  const running = runStep(
    'upsert-record',
    { recordType: 'company', ...config },
    { variables, ports: { records } },
  );
  expect(await stepFailure(running)).toMatchObject({ message, retryable: false });
  expect(sent).toEqual([]);
});

test('a member called __proto__ is ordinary data', async () => {
  await upserted({ sourceVariable: 'spoiled' });
  expect('polluted' in {}).toBe(false);
});
