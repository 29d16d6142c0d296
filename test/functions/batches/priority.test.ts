import { expect, test } from 'vitest';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  template,
} from '../../support/flows/flows.ts';
import { newTenant } from '../../support/stack/stack.ts';

const broken = { type: 'transform-data', name: 'broken', config: { script: 'throw new Error("no")' } };

test('the status shows the priority of a batch, which is normal unless it is sent, and a retry keeps it', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [broken]);
  const recordIds = (await createRecords(tenant, 'thing', 2)).map(({ id }) => id);
  const start = async (options?: object) => {
    const body = { flowId: flow.id, recordIds, options: { maxRetries: 0, ...options } };
    return (await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }))).batchExecutionId;
  };
  expect(await finishedBatch(tenant, await start())).toMatchObject({ priority: 'normal' });
  const id = await start({ priority: 'low' });
  expect(await finishedBatch(tenant, id)).toMatchObject({ priority: 'low', status: 'failed' });
  const { batchId } = await expectStatus(202, tenant.call('POST', `/v1/batch/${id}/retry`, { body: {} }));
  expect(await finishedBatch(tenant, batchId)).toMatchObject({ priority: 'low', retryOf: id });
});

test.each(['urgent', 'HIGH', '', 1, null])(
  '400 for the priority %j, of every start on records',
  async (priority) => {
    const tenant = await newTenant();
    const flow = await publishedFlow(tenant, [template('x')]);
    const [record] = await createRecords(tenant, 'thing', 1);
    const options = { priority };
    const starts = [
      ['/v1/batch/flow', { flowId: flow.id, recordIds: [record?.id], options }],
      ['/v1/batch/forecast', { flowId: flow.id, recordIds: [record?.id], options }],
      [`/v1/flows/${flow.id}/run-on-record-type`, { recordType: 'thing', options }],
      [`/v1/flows/${flow.id}/recompute`, { version: 'draft', recordType: 'thing', options }],
    ] as const;
    for (const [path, body] of starts) {
      const refused = await expectStatus(400, tenant.call('POST', path, { body }));
      expect(refused.details[0].path).toBe('options.priority');
    }
  },
);
