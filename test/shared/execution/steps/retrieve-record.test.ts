import { expect, test } from 'vitest';
import type { RecordSelector } from '../../../../shared/adapters/ports/records-port.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';
import { configProblems, runStep } from './run-step.ts';

const id = 'record_01k9m4v7d3x8qz5w2r6t0y1hbn';
const record = {
  id,
  type: 'customer',
  name: 'Ada',
  metadata: { tier: 'gold' },
  createdAt: 'c',
  updatedAt: 'u',
};
const variables = { id, who: { name: 'Ada' }, tiers: ['gold', 'silver'], low: '5', none: null };

/** Runs the step and gives its output, and the selectors that it asked the records port for. */
async function retrieved(config: object, found: typeof record | null = record) {
  const asked: RecordSelector[] = [];
  const find = async (selector: RecordSelector) => {
    asked.push(selector);
    return found ?? undefined;
  };
  const ports = { records: { ...emptyWorld.records, find } };
  const { output } = await runStep('retrieve-record', config, { variables, ports });
  return { asked, output };
}

const where = (op: string, value?: unknown) => ({
  recordFilter: { type: 'customer', where: { field: 'tier', op, ...(value !== undefined && { value }) } },
});

test.each<[object, object]>([
  [{ id: ' {{ id }} ' }, { id }],
  [{ recordId: id }, { id }],
  [
    { recordType: 'customer', recordName: '{{ who.name }}' },
    { type: 'customer', name: 'Ada' },
  ],
  [
    { type: 'customer', name: 'Ada' },
    { type: 'customer', name: 'Ada' },
  ],
  [{ recordFilter: { type: 'cust{{ "omer" }}' } }, { type: 'customer' }],
  [
    where('in', '{{ tiers }}'),
    { type: 'customer', filter: { field: 'tier', op: 'in', value: ['gold', 'silver'] } },
  ],
  [
    where('between', ['{{ low }}', '1{{ low }}']),
    { type: 'customer', filter: { field: 'tier', op: 'between', value: ['5', '15'] } },
  ],
  [where('isSet'), { type: 'customer', filter: { field: 'tier', op: 'isSet' } }],
])('%j asks for %j', async (config, selector) => {
  expect(await retrieved(config)).toEqual({ asked: [selector], output: record });
});

test('groups are rendered too', async () => {
  const condition = (value: string) => ({ field: 'name', op: 'eq', value });
  const group = (value: string) => ({
    op: 'or',
    conditions: [{ op: 'and', conditions: [condition(value)] }],
  });
  const { asked } = await retrieved({ recordFilter: { type: 'customer', where: group('{{ who.name }}') } });
  expect(asked).toEqual([{ type: 'customer', filter: group('Ada') }]);
});

test('the output is null if there is no such record', async () => {
  expect((await retrieved({ id }, null)).output).toBeNull();
});

test.each([
  { id: '{{ none }}' },
  { id: 'record_1' },
  { id: '../{{ id }}' },
  { recordType: 'customer', recordName: '{{ none }}' },
  { recordType: `{{ none }}`, recordName: 'Ada' },
  { recordType: 'customer', recordName: 'x'.repeat(501) },
  { recordFilter: { type: '{{ none }}' } },
])('%j cannot name a record: the output is null and no request is sent', async (config) => {
  expect(await retrieved(config)).toEqual({ asked: [], output: null });
});

test.each([
  [where('eq', '{{ none }}'), 'recordFilter.where: The value of eq must be a text, a number, true or false'],
  [
    where('between', [9, '{{ low }}']),
    'recordFilter.where: The value of between must be [low, high]: two numbers, dates or other texts, in their order',
  ],
  [
    {
      recordFilter: {
        type: 't',
        where: { op: 'and', conditions: [{ field: 'a', op: 'olderThanDays', value: '{{ who.name }}' }] },
      },
    },
    'recordFilter.where.conditions.0: The value of olderThanDays must be a number of days, 0 or more',
  ],
  [
    where('contains', '{% for n in (1..10001) %}x{% endfor %}'),
    'recordFilter.where: A text has at most 10,000 characters',
  ],
])('%j fails permanently if a rendered value does not suit its operator', async (config, message) => {
  expect(await stepFailure(retrieved(config))).toMatchObject({ message, retryable: false });
});

const isSet = { field: 'a', op: 'isSet' };
const groupOf = (conditions: object[]) => ({ op: 'or', conditions });
const ways = ': Select the record by id, by recordType and recordName, or by recordFilter';
test.each([
  [{}, [ways]],
  [{ id, recordFilter: { type: 't' } }, [ways]],
  [{ id, recordType: 't', recordName: 'n' }, [ways]],
  [{ recordType: 't' }, ['recordName: Give recordType and recordName together']],
  [{ name: 'n' }, ['recordType: Give recordType and recordName together']],
  [{ id, recordId: id }, ['recordId: Give either id or its alias recordId']],
  [{ id: '' }, ['id: Too small: expected string to have >=1 characters']],
  [{ id: '{{ a' }, [expect.stringMatching(/^id: .*not closed/)]],
  [where('eq'), ['recordFilter.where: The value of eq must be a text, a number, true or false']],
  [where('eq', '{{ a'), [expect.stringMatching(/^recordFilter.where.value: .*not closed/)]],
  [where('like', 'x'), [expect.stringMatching(/^recordFilter.where.op: Expected one of eq, /)]],
  [where('eq', 'x'.repeat(10_001)), ['recordFilter.where: A text has at most 10,000 characters']],
  [
    { recordFilter: { type: 't', where: groupOf(Array(50).fill(groupOf(Array(10).fill(isSet)))) } },
    ['recordFilter.where: A filter has at most 500 conditions'],
  ],
  [{ recordFilter: { where: {} } }, expect.arrayContaining([expect.stringMatching(/^recordFilter.type: /)])],
])('%j is rejected', async (config, problems) => {
  expect(await configProblems('retrieve-record', config)).toEqual(problems);
});
