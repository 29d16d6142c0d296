import { expect, test } from 'vitest';
import type { Span } from '../../../shared/domain/runs/trace.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  template,
} from '../../support/flows/flows.ts';
import { getTrace } from '../../support/flows/run-traces.ts';
import { traceOutline } from '../../support/flows/sound-trace.ts';
import { newTenant } from '../../support/stack/stack.ts';

const broken = { type: 'prompt', config: { model: 'generic-openai/broken', userPrompt: 'x' } };
const idsOf = (records: readonly Span[]) => new Set(records.map(({ attributes }) => attributes['record.id']));

async function traced(count: number, steps: object[], options: object = {}) {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  const records = await createRecords(tenant, 'thing', count);
  const body = { flowId: flow.id, recordIds: records.map(({ id }) => id), options };
  const { batchExecutionId } = await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  await finishedBatch(tenant, batchExecutionId);
  const trace = await getTrace(tenant, batchExecutionId);
  const [root, ...spans] = trace.spans as [Span, ...Span[]];
  return { trace, root, records, shown: spans.filter(({ kind }) => kind === 'record') };
}

test('a batch: its records, their steps, and a record that was run again', async () => {
  const fails = { ...broken, name: 'fail', when: '_record.name === "thing-1"' };
  const { trace, shown, records } = await traced(3, [template('x'), fails], { maxRetries: 1 });
  expect(trace.truncated).toBe(false);
  expect(idsOf(shown)).toEqual(new Set(records.map(({ id }) => id)));
  const lines = traceOutline(trace).split('\n');
  expect(lines[0]).toBe('run A flow');
  expect(lines.filter((line) => line === '  record record')).toHaveLength(2);
  expect(lines.slice(lines.indexOf('  record record (error)')).slice(0, 6)).toEqual([
    '  record record (error)',
    '    step x',
    '    step fail (error)',
    '      attempt attempt 1 (error)',
    '      wait delay',
    '      attempt attempt 2 (error)',
  ]);
});

test('a batch with more than 5,000 spans shows its slowest, its failed and its latest records', async () => {
  const steps = Array.from({ length: 6 }, (_, n) => template(`step ${n}`));
  const slow = {
    type: 'wait-until',
    name: 'slow',
    when: '_record.name === "thing-3"',
    config: { delayMs: 1_500 },
  };
  const fail = { ...broken, name: 'fail', when: '_record.name === "thing-7"' };
  const options = { recordConcurrency: 50, maxRetries: 0 };
  const { trace, root, shown, records } = await traced(800, [slow, fail, ...steps], options);
  expect(trace.truncated).toBe(true);
  expect(trace.spans.length).toBeGreaterThan(4_900);
  expect(trace.spans.length).toBeLessThanOrEqual(5_000);
  expect(root).toMatchObject({ kind: 'run', attributes: { 'batch.records': 800 } });
  const ids = idsOf(shown);
  expect(ids).toContain(records[3]?.id);
  expect(
    shown.filter(({ status }) => status === 'error').map(({ attributes }) => attributes['record.id']),
  ).toEqual([records[7]?.id]);
}, 60_000);
