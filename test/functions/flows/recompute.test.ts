import { expect, test } from 'vitest';
import { createRecords, expectStatus, finishedBatch, publishedFlow } from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const ask = (name: string, userPrompt: string) => ({
  type: 'prompt',
  name,
  config: { model: 'generic-openai/echo', userPrompt, outputVariable: name },
});

const first = ask('first', 'About {{ _record.name }}');

/** A flow that ran on records, and was edited since. */
async function world() {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [first, ask('second', 'Shorter: {{ first }}')]);
  const records = await createRecords(tenant, 'thing', 3);
  const { call } = tenant;
  const { body } = await call('POST', `/v1/flows/${flow.id}/run-on-record-type`, {
    body: { recordType: 'thing' },
  });
  await finishedBatch(tenant, body.batchId);
  const { flowSteps } = await expectStatus(200, call('GET', `/v1/flows/${flow.id}`));
  flowSteps[1].config.userPrompt = 'Longer: {{ first }}';
  await expectStatus(200, call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps } }));
  return { tenant, flowId: flow.id as string, ids: records.map(({ id }) => id) };
}

const recompute = ({ call }: Tenant, flowId: string, body: object) =>
  call('POST', `/v1/flows/${flowId}/recompute`, { body });

async function reusedIn(tenant: Tenant, flowId: string, batchId: string) {
  await finishedBatch(tenant, batchId);
  const rows = await everyStepResult(tenant, `/v1/flows/${flowId}/step-results`);
  return rows
    .filter(({ batchExecutionId }) => batchExecutionId === batchId)
    .map(({ stepName, reusedFrom }) => `${stepName} ${reusedFrom !== null}`)
    .toSorted();
}

test('only what the edit changed runs again, and the run is listed as a recompute', async () => {
  const { tenant, flowId } = await world();
  const draft = await expectStatus(202, recompute(tenant, flowId, { version: 'draft', recordType: 'thing' }));
  expect(draft).toEqual({ batchId: expect.stringMatching(/^batch_/), recordCount: 3 });
  const afterDraft = await reusedIn(tenant, flowId, draft.batchId);
  expect([...new Set(afterDraft)]).toEqual(['first true', 'second false']);
  const run = await expectStatus(200, tenant.call('GET', `/v1/runs/${draft.batchId}`));
  expect(run.trigger).toMatchObject({ type: 'recompute' });
  const listed = await expectStatus(200, tenant.call('GET', '/v1/runs?trigger=recompute'));
  expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([draft.batchId]);
});

test('the published version, and one by its id, do not take the draft', async () => {
  const { tenant, flowId, ids } = await world();
  const { publishedVersionId } = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flowId}`));
  for (const [version, records] of [
    ['published', { recordIds: ids.slice(0, 2) }],
    [
      publishedVersionId,
      { recordFilter: { type: 'thing', where: { field: 'value', op: 'eq', value: '1' } } },
    ],
  ]) {
    const { batchId } = await expectStatus(202, recompute(tenant, flowId, { version, ...records }));
    expect(new Set(await reusedIn(tenant, flowId, batchId))).toEqual(new Set(['first true', 'second true']));
  }
});

test.each<[string, object, number, string]>([
  ['no version', { recordType: 'thing' }, 400, 'version'],
  ['an odd version', { version: 'newest', recordType: 'thing' }, 400, 'version'],
  ['no records', { version: 'draft' }, 400, 'recordType'],
  ['two selections', { version: 'draft', recordType: 'a', recordFilter: { type: 'b' } }, 400, 'recordFilter'],
  ['a type without records', { version: 'draft', recordType: 'none' }, 400, 'recordType'],
  [
    'a filter that matches none',
    { version: 'draft', recordFilter: { type: 'thing', where: { field: 'value', op: 'eq', value: 'x' } } },
    400,
    'recordFilter',
  ],
  [
    'a choice of reuse',
    { version: 'draft', recordType: 'thing', options: { reuse: 'never' } },
    400,
    'options.reuse',
  ],
])('%s is refused', async (_what, body, status, path) => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant);
  await createRecords(tenant, 'thing', 1);
  const { details } = await expectStatus(status, recompute(tenant, flow.id, body));
  expect(details[0].path).toBe(path);
});

test('an unknown version, another tenant’s flow and a missing publication are told apart', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant);
  const [record] = await createRecords(tenant, 'thing', 1);
  const records = { recordIds: [record?.id] };
  const unknown = { version: 'flowver_01k9m4v7d3x8qz5w2r6t0y1hbn', ...records };
  await expectStatus(404, recompute(tenant, flow.id, unknown));
  await expectStatus(404, recompute(await newTenant(), flow.id, { version: 'draft', ...records }));
  const { body: other } = await tenant.call('POST', '/v1/flows', {
    body: { name: 'New', flowSteps: [first] },
  });
  await expectStatus(409, recompute(tenant, other.id, { version: 'published', ...records }));
});
