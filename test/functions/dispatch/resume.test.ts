import { expect, test, vi } from 'vitest';
import { newId } from '../../../shared/core/ids.ts';
import { endExpiredExecution } from '../../../shared/execution/dispatch/end-execution.ts';
import { resumeFlowRun } from '../../../shared/execution/dispatch/resume.ts';
import { executionEntity } from '../../../shared/execution/runs/execution.ts';
import { createTool } from '../../support/files/tools.ts';
import { createRecords, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { principalHere } from '../../support/stack/principals.ts';
import { openEvents } from '../../support/stack/sse.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const local = {
  name: 'Read the thermometer',
  description: 'Reads it',
  toolType: 'local',
  parametersSchema: { type: 'object', properties: { room: { type: 'string' } }, required: ['room'] },
  config: {},
};
const call = (toolId: string, room: unknown = '{{ room }}') => ({
  type: 'tool-call',
  name: 'measure',
  config: { toolId, parameters: { room }, outputVariable: 'measured' },
});
const asJson = { streamResponse: false };
const dispatch = (tenant: Tenant, body: object) =>
  expectStatus(200, tenant.call('POST', '/v1/dispatch', { body: { options: asJson, ...body } }));
const resume = (tenant: Tenant, executionId: string, toolOutputs: object) =>
  tenant.call('POST', '/v1/dispatch/resume', { body: { executionId, toolOutputs, ...asJson } });

/** A run that waits for the thermometer of the kitchen. */
async function pausedRun(tenant: Tenant, more: object = {}) {
  const toolId = (await createTool(tenant, local)).id;
  const steps = [template('before'), call(toolId), template('{{ measured.celsius }} °C in {{ room }}')];
  const run = await dispatch(tenant, { flow: { steps }, inputs: { room: 'kitchen' }, ...more });
  return { run, toolId, steps };
}

test('a local tool pauses the run; its output continues it to the end', async () => {
  const tenant = await newTenant();
  const { run } = await pausedRun(tenant);
  expect(run).toMatchObject({
    success: true,
    status: 'paused',
    output: null,
    awaits: { toolName: 'Read_the_thermometer', parameters: { room: 'kitchen' } },
  });
  const outputs = { [run.awaits.toolCallId]: { celsius: 21 } };
  const resumed = await expectStatus(200, resume(tenant, run.executionId, outputs));
  expect(resumed).toMatchObject({
    success: true,
    status: 'completed',
    executionId: run.executionId,
    output: '21 °C in kitchen',
    steps: [{ type: 'tool-call', status: 'completed', output: { celsius: 21 } }, { type: 'template' }],
  });
});

test('the stream of a paused run ends with `await`, without a terminal event', async () => {
  const tenant = await newTenant();
  const toolId = (await createTool(tenant, local)).id;
  const { events } = await openEvents(tenant.token, '/v1/dispatch', {
    flow: { steps: [call(toolId, 'attic')] },
  });
  const all = (await Array.fromAsync(events)).map(({ data }) => data);
  expect(all.at(-1)).toMatchObject({
    type: 'await',
    awaitReason: 'local_tool',
    toolName: 'Read_the_thermometer',
    parameters: { room: 'attic' },
  });
  const { executionId, toolCallId = '' } = all.at(-1) as { executionId: string; toolCallId?: string };
  const body = { executionId, toolOutputs: { [toolCallId]: 5 } };
  const { events: rest } = await openEvents(tenant.token, '/v1/dispatch/resume', body);
  expect((await Array.fromAsync(rest)).map(({ data }) => data).at(-1)).toMatchObject({
    type: 'execution_complete',
    success: true,
    finalOutput: 5,
  });
});

test('a run of a stored flow on a record pauses twice and stores each step result once', async () => {
  const tenant = await newTenant();
  const toolId = (await createTool(tenant, local)).id;
  const flow = await publishedFlow(tenant, [call(toolId, 'a'), template('x'), call(toolId, 'b')]);
  const [record] = await createRecords(tenant, 'thing', 1);
  const run = await dispatch(tenant, { flow: { id: flow.id }, record: { id: record?.id } });
  const second = await expectStatus(
    200,
    resume(tenant, run.executionId, { [run.awaits.toolCallId]: 'first' }),
  );
  expect(second).toMatchObject({ status: 'paused', awaits: { parameters: { room: 'b' } } });
  const last = await expectStatus(200, resume(tenant, run.executionId, { Read_the_thermometer: 'second' }));
  expect(last).toMatchObject({ status: 'completed', output: 'second' });
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/records/${record?.id}/step-results`));
  expect(data.map(({ outputPreview }: { outputPreview: string }) => outputPreview).toSorted()).toEqual([
    'first',
    'second',
    'x',
  ]);
});

test('of parallel requests one continues the run; the others and later ones get a 409', async () => {
  const tenant = await newTenant();
  const { run } = await pausedRun(tenant);
  const outputs = { [run.awaits.toolCallId]: { celsius: 1 } };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => resume(tenant, run.executionId, outputs)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
  expect((await resume(tenant, run.executionId, outputs)).status).toBe(409);
});

test('409 if another request ends the run while this one reads it', async () => {
  const tenant = await newTenant();
  const { run } = await pausedRun(tenant);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const asked = { executionId: run.executionId, toolOutputs: { [run.awaits.toolCallId]: { celsius: 1 } } };
  const asRead = await scope.table.get(executionEntity, { id: run.executionId });
  await expectStatus(200, resume(tenant, asked.executionId, asked.toolOutputs));
  const late = vi.spyOn(scope.table, 'get').mockResolvedValueOnce(asRead);
  await expect(resumeFlowRun(scope, principalHere(tenant), asked)).rejects.toThrow(
    'The execution is not paused',
  );
  expect(late).toHaveBeenCalled();
});

test('400 without the output of the call, which leaves the run paused', async () => {
  const tenant = await newTenant();
  const { run } = await pausedRun(tenant);
  const refused = await expectStatus(400, resume(tenant, run.executionId, { other: 1 }));
  expect(refused.details).toMatchObject([{ path: 'toolOutputs', code: 'MISSING_REQUIRED_FIELD' }]);
  const outputs = { [run.awaits.toolCallId]: { celsius: 3 } };
  expect(await expectStatus(200, resume(tenant, run.executionId, outputs))).toMatchObject({ success: true });
});

test('404 for an unknown execution and for one of another tenant', async () => {
  const [tenant, stranger] = [await newTenant(), await newTenant()];
  const { run } = await pausedRun(tenant);
  await expectStatus(404, resume(tenant, newId('exec'), { x: 1 }));
  await expectStatus(404, resume(stranger, run.executionId, { [run.awaits.toolCallId]: 1 }));
});

test('403 for a key of the tenant that could not have started the run, also after a second pause', async () => {
  const tenant = await newTenant();
  const toolId = (await createTool(tenant, local)).id;
  const read = { type: 'retrieve-record', name: 'r', config: { recordType: 'thing', recordName: 'x' } };
  const run = await dispatch(tenant, { flow: { steps: [call(toolId, 'a'), call(toolId, 'b'), read] } });
  const weak = await newTenant({ userId: tenant.userId, permissions: ['FLOWS:EXECUTE', 'TOOLS:EXECUTE'] });
  const refused = { details: 'Missing required permission: RECORDS:READ' };
  const outputs = { Read_the_thermometer: 1 };
  expect(await expectStatus(403, resume(weak, run.executionId, outputs))).toMatchObject(refused);
  expect(await expectStatus(200, resume(tenant, run.executionId, outputs))).toMatchObject({
    status: 'paused',
  });
  expect(await expectStatus(403, resume(weak, run.executionId, outputs))).toMatchObject(refused);
});

test('arguments that do not fit fail the step; the run does not pause', async () => {
  const tenant = await newTenant();
  const toolId = (await createTool(tenant, local)).id;
  const { error } = await dispatch(tenant, { flow: { steps: [call(toolId, 5)] } });
  expect(error).toContain('The arguments do not fit the tool Read_the_thermometer: room');
});

test('a batch has no caller: the record fails with a sentence', async () => {
  const tenant = await newTenant();
  const toolId = (await createTool(tenant, local)).id;
  const flow = await publishedFlow(tenant, [call(toolId, 'a')]);
  await createRecords(tenant, 'thing', 1);
  const path = `/v1/flows/${flow.id}/run-on-record-type`;
  const { results } = await expectStatus(200, tenant.call('POST', path, { body: { recordType: 'thing' } }));
  expect(results[0].error).toContain('run the flow through POST /v1/dispatch');
});

test('a run whose caller sends nothing ends as failed when its time is over, and not before', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [call((await createTool(tenant, local)).id, 'a')]);
  const run = await dispatch(tenant, { flow: { id: flow.id } });
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  await endExpiredExecution(scope, run.executionId, { now: inDays(6), atStart: true });
  const results = async () =>
    (await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}/step-results`))).data;
  expect(await results()).toEqual([]);
  await endExpiredExecution(scope, run.executionId, { now: inDays(8), atStart: false });
  await expectStatus(404, resume(tenant, run.executionId, { [run.awaits.toolCallId]: 1 }));
});
