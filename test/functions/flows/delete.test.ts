import { expect, test } from 'vitest';
import { flowKeysRange } from '../../../shared/domain/flows/flow.ts';
import {
  flowResultsPartition,
  flowShards,
  recordResultsRange,
} from '../../../shared/execution/runs/checkpoint.ts';
import { payloadNames } from '../../support/data/payload-bucket.ts';
import {
  createFlow,
  createRecords,
  expectStatus,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const unknownFlow = `flow_${'0'.repeat(26)}`;
const remove = ({ call }: Pick<Tenant, 'call'>, id: string) => call('DELETE', `/v1/flows/${id}`);

/** Makes an output that is too large for an item. */
const large = {
  type: 'transform-data',
  name: 'large',
  config: { script: '"x".repeat(300_000)', outputVariable: 'text' },
};

test('204 without a body; afterwards the flow and its related data are unreachable', async () => {
  const tenant = await newTenant();
  const [flow, kept] = [await publishedFlow(tenant), await publishedFlow(tenant)];
  const [record] = await createRecords(tenant, 'thing', 1);
  for (const { id } of [flow, kept]) await expectStatus(200, runFlowOnRecords(tenant, id, 'thing'));
  const { publishedVersionId } = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}`));

  expect(await remove(tenant, flow.id)).toMatchObject({ status: 204, body: '' });

  const gone = [
    ['GET', `/v1/flows/${flow.id}`],
    ['PUT', `/v1/flows/${flow.id}`, { name: 'again' }],
    ['DELETE', `/v1/flows/${flow.id}`],
    ['POST', `/v1/flows/${flow.id}/publish`],
    ['POST', `/v1/flows/${flow.id}/run-on-record-type`, { recordType: 'thing' }],
    ['GET', `/v1/flows/${flow.id}/step-results`],
    ['GET', `/v1/flow-versions/${flow.id}`],
    ['GET', `/v1/flow-versions/${flow.id}/published`],
    ['GET', `/v1/flow-versions/${flow.id}/${publishedVersionId}`],
    ['POST', `/v1/flow-versions/${flow.id}/publish`, { versionId: publishedVersionId }],
  ] as const;
  for (const [method, path, body] of gone) {
    expect(await expectStatus(404, tenant.call(method, path, { body }))).toEqual(notFoundBody('Flow'));
  }
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/flows'));
  expect(data.map(({ id }: { id: string }) => id)).toEqual([kept.id]);
  const left = await everyStepResult(tenant, `/v1/records/${record?.id}/step-results`);
  expect(left.map(({ flowId }) => flowId)).toEqual([kept.id]);
});

test('the flow’s versions, step results and payloads are removed from storage; those of other flows stay', async () => {
  const tenant = await newTenant();
  const steps = [large, template('{{ text | size }}')];
  const [flow, kept] = [await publishedFlow(tenant, steps), await publishedFlow(tenant, steps)];
  const records = await createRecords(tenant, 'thing', 12);
  const { batchId } = (await runFlowOnRecords(tenant, flow.id, 'thing')).body;
  await runFlowOnRecords(tenant, kept.id, 'thing');
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const left = async (id: string) => {
    const ranges = Array.from({ length: flowShards }, (_, shard) => ({
      partition: flowResultsPartition(id, shard),
      index: 1 as const,
    }));
    const counts = [flowKeysRange(id), ...ranges].map((range) => table.count(range));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count);
  };
  const items = 2 + records.length;
  await eventually(async () => {
    expect([await left(flow.id), await left(kept.id)]).toEqual([items, items]);
    expect(await payloadNames(tenant.tenant)).toHaveLength(2 * records.length);
  });

  expect((await remove(tenant, flow.id)).status).toBe(204);

  await eventually(async () => {
    expect(await left(flow.id)).toBe(0);
    expect(await payloadNames(tenant.tenant)).toHaveLength(records.length);
  });
  expect(await left(kept.id)).toBe(items);
  for (const { id } of records) expect(await table.count(recordResultsRange(id))).toBe(1);
  const rows = await everyStepResult(tenant, `/v1/flows/${kept.id}/step-results`, 'sortOrder=asc');
  expect(rows.map(({ outputPreview }) => outputPreview)).toEqual(
    records.flatMap(() => ['x'.repeat(1_000), '300000']),
  );
  expect((await tenant.call('GET', `/v1/batch/status/${batchId}`)).body).toMatchObject({
    processedRecords: 12,
  });
});

test('steps too large for an item leave nothing in the bucket, whether published, edited or a draft', async () => {
  const tenant = await newTenant();
  const largeSteps = (text: string) =>
    Array.from({ length: 3 }, () => ({ ...template(text.repeat(90_000)), name: 'large' }));
  const flow = await createFlow(tenant, largeSteps('a'));
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps: largeSteps('b') } }),
  );
  await expectStatus(200, tenant.call('POST', `/v1/flows/${flow.id}/publish`));
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps: largeSteps('c') } }),
  );
  expect((await payloadNames(tenant.tenant)).length).toBeGreaterThanOrEqual(2);

  expect((await remove(tenant, flow.id)).status).toBe(204);

  await eventually(async () => expect(await payloadNames(tenant.tenant)).toEqual([]));
});

test('a batch that runs while its flow is deleted ends, and its records fail with the reason', async () => {
  const tenant = await newTenant();
  const slow = { type: 'prompt', name: 'x', config: { model: 'generic-openai/slow', userPrompt: 'wait' } };
  const flow = await publishedFlow(tenant, [slow, slow]);
  await createRecords(tenant, 'thing', 30);
  const { batchId } = await expectStatus(202, runFlowOnRecords(tenant, flow.id, 'thing'));
  expect((await remove(tenant, flow.id)).status).toBe(204);
  await eventually(async () => {
    const status = await expectStatus(200, tenant.call('GET', `/v1/batch/status/${batchId}`));
    expect(status).toMatchObject({ totalRecords: 30, processedRecords: 30 });
    expect(status.failedRecords).toBeGreaterThan(0);
  });
});

test('of several concurrent deletions one gets 204 and the others 404', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant);
  const answers = await Promise.all(Array.from({ length: 6 }, () => remove(tenant, id)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404, 404, 404]);
});

test('404 for an unknown flow and another tenant’s, which stays; 400 for a malformed id; 403 without FLOWS:WRITE', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const stranger = await newTenant();
  const missing = await expectStatus(404, remove(stranger, unknownFlow));
  expect(missing).toEqual(notFoundBody('Flow'));
  expect(await expectStatus(404, remove(stranger, flow.id))).toEqual(missing);
  await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}`));
  await expectStatus(400, remove(tenant, 'flow_7'));
  await expectStatus(403, remove(await newTenant({ permissions: ['FLOWS:READ'] }), flow.id));
});
