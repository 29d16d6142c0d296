import { expect, test } from 'vitest';
import type { Interference } from '../../../support/data/broken-table.ts';
import { createRecords, template } from '../../../support/flows/flows.ts';
import { newTenant } from '../../../support/stack/stack.ts';
import { dispatchHere } from './dispatch-here.ts';

const wait = (config: object) => ({ type: 'wait-until', name: 'wait', config });

test('a silent run emits pings, and its events are numbered without gaps', async () => {
  const flow = { name: 'Slow', steps: [wait({ delayMs: 500 })] };
  const { events } = await dispatchHere(await newTenant(), { flow }, {}, { pingEveryMs: 20 });
  expect(events.filter(({ type }) => type === 'ping').length).toBeGreaterThan(1);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  expect(events.at(-1)?.type).toBe('execution_complete');
});

test('outputs that the record cannot take are reported, and the run fails', async () => {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'thing', 1);
  const script = {
    type: 'transform-data',
    name: 's',
    config: { script: '"x".repeat(300_000)', outputVariable: 'v' },
  };
  const { result } = await dispatchHere(tenant, {
    flow: { name: 'Large', steps: [script] },
    record: { id: record?.id },
    options: { autoAppendMetadata: true },
  });
  expect(result).toMatchObject({ success: false, status: 'failed' });
  expect(result.error).toContain('The output variables could not be appended');
});

test('an internal error is reported with the request id and without details', async () => {
  const broken: Interference = {
    before: (command, input) => {
      if (command === 'TransactWriteItems' && JSON.stringify(input).includes('"batch"'))
        throw new Error('secret inside');
    },
  };
  const flow = { name: 'Waits', steps: [template('x'), wait({ delayMs: 60_000 })] };
  const { result, events } = await dispatchHere(await newTenant(), { flow }, broken);
  const error = {
    code: 'INTERNAL',
    message: 'The run failed because of an internal error; report the request id request-1',
  };
  expect(events.at(-1)).toMatchObject({ type: 'execution_error', error });
  expect(result).toMatchObject({ success: false, status: 'failed', error: error.message });
});
