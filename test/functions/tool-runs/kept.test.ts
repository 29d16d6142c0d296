import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { executeTool } from '../../../functions/tool-runs/execute.ts';
import { newId } from '../../../shared/core/ids.ts';
import { toHour } from '../../../shared/domain/runs/run.ts';
import { lostRuns } from '../../../shared/execution/dispatch/lost-runs.ts';
import { toolExecutor } from '../../../shared/execution/dispatch/tool-executor.ts';
import { toLambda } from '../../../shared/platform/http/lambda/lambda.ts';
import { brokenTable } from '../../support/data/broken-table.ts';
import { payloadNames } from '../../support/data/payload-bucket.ts';
import { newSecret } from '../../support/data/secrets.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus, publishedFlow } from '../../support/flows/flows.ts';
import { getTrace } from '../../support/flows/run-traces.ts';
import { allowHost, loopback } from '../../support/servers/loopback.ts';
import { newCollector, setTelemetry } from '../../support/servers/telemetry.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { invokeWith } from '../../support/stack/invoke.ts';
import { newKey } from '../../support/stack/keys.ts';
import { principalHere, tenantPrincipal } from '../../support/stack/principals.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const execute = (tenant: Pick<Tenant, 'call'>, id: string, parameters: object = {}, more: object = {}) =>
  expectStatus(200, tenant.call('POST', `/v1/tools/${id}/execute`, { body: { parameters, ...more } }));
const runOf = ({ call }: Pick<Tenant, 'call'>, id: string) =>
  expectStatus(200, call('GET', `/v1/runs/${id}`));
const executionsOf = async ({ call }: Pick<Tenant, 'call'>, id: string) =>
  (await expectStatus(200, call('GET', `/v1/tools/${id}/executions`))).data;
const cancel = ({ call }: Pick<Tenant, 'call'>, id: string) => call('POST', `/v1/runs/${id}/cancel`);

/** A tool of an HTTP server of this process, which a Lambda of this process runs. */
async function externalTool(tenant: Tenant, answer: RequestListener, config: object = {}) {
  const { url, host } = await loopback(answer);
  allowHost(host);
  const { id } = await createTool(tenant, {
    toolType: 'external',
    parametersSchema: {},
    config: { url, method: 'POST', body: '{{ input }}', ...config },
  });
  const invoke = invokeWith(toLambda(executeTool), tenantPrincipal(tenant));
  const run = async (parameters: object = {}) => {
    const body = JSON.stringify({ parameters });
    const headers = { 'content-type': 'application/json' };
    const response = await invoke({ httpMethod: 'POST', pathParameters: { id }, body, headers });
    expect(response.statusCode).toBe(200);
    return JSON.parse(response.body);
  };
  return { id, run };
}

async function onlyRunning(tenant: Tenant) {
  return eventually(async () => {
    const { data } = await expectStatus(200, tenant.call('GET', '/v1/runs?kind=tool&status=running'));
    expect(data).toHaveLength(1);
    return data[0];
  });
}

test('a run shows its arguments and its result, and so does its trace where content is asked for', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant);
  const { executionId } = await execute(tenant, id, { n: 21 });
  expect(await runOf(tenant, executionId)).toMatchObject({
    kind: 'tool',
    status: 'completed',
    input: { parameters: { n: 21 } },
    output: 42,
    error: null,
  });
  const shown = await getTrace(tenant, executionId, '?include=content');
  const content = { 'gen_ai.tool.call.arguments': { n: 21 }, 'gen_ai.tool.call.result': 42 };
  expect(shown.spans[0]?.attributes).toMatchObject(content);
  const bare = await getTrace(tenant, executionId);
  expect(Object.keys(bare.spans[0]?.attributes ?? {})).not.toContain('gen_ai.tool.call.arguments');
  expect(JSON.stringify(bare)).not.toContain('call.result');
});

test('they are content: nothing of them is exported without it, nor shown to others', async () => {
  const tenant = await newTenant();
  const collector = newCollector();
  await setTelemetry(tenant, { endpoint: collector.endpoint, content: 'none' });
  const { id } = await createTool(tenant, { config: { code: 'return "seen " + input.word' } });
  const { executionId } = await execute(tenant, id, { word: 'confidential' });
  expect(await runOf(tenant, executionId)).toMatchObject({ output: 'seen confidential' });
  const [exported] = await collector.got(1);
  expect(exported?.spans).toHaveLength(1);
  expect(JSON.stringify(exported)).not.toContain('confidential');
  const reads = await newKey(tenant, { permissions: ['FLOWS:READ'] });
  await expectStatus(404, reads.call('GET', `/v1/runs/${executionId}`));
  await expectStatus(404, (await newTenant()).call('GET', `/v1/runs/${executionId}`));
});

test('with `storeResults: false` neither is stored, also of a test', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant);
  const options = { storeResults: false };
  const { executionId } = await execute(tenant, id, { n: 1 }, { options });
  const body = { parameters: { n: 1 }, execute: true, options };
  const tested = await expectStatus(200, tenant.call('POST', `/v1/tools/${id}/test`, { body }));
  for (const runId of [executionId, tested.executionId])
    expect(await runOf(tenant, runId)).toMatchObject({ status: 'completed', input: null, output: null });
});

test('a failed run has its arguments and the words of the other side, without values of secrets', async () => {
  const tenant = await newTenant();
  const value = 'a-value-that-must-not-leak-1';
  await newSecret(tenant, { key: 'KEY', value });
  const { run } = await externalTool(
    tenant,
    (request, response) => {
      const detail = `The city is unknown, ${request.headers.authorization}`;
      response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify({ detail }));
    },
    { auth: { type: 'bearer', token: '{{secret:KEY}}' } },
  );
  const { executionId, status } = await run({ city: 'Osloo', note: `sent with ${value}` });
  expect(status).toBe('failed');
  const shown = await runOf(tenant, executionId);
  expect(shown).toMatchObject({
    status: 'failed',
    input: { parameters: { city: 'Osloo', note: 'sent with [secret:KEY]' } },
    output: null,
    error: { code: 'TOOL_FAILED', message: expect.stringContaining('The city is unknown') },
  });
  const trace = await getTrace(tenant, executionId, '?include=content');
  expect(trace.spans[0]).toMatchObject({
    status: 'error',
    attributes: { 'error.message': expect.stringContaining('The city is unknown') },
  });
  expect(JSON.stringify([shown, trace])).not.toContain(value);
});

test('secrets that only the flow of a tool opens are masked in its arguments', async () => {
  const tenant = await newTenant();
  const value = 'a-value-that-must-not-leak-2';
  await newSecret(tenant, { key: 'INNER', value });
  const script = 'return "{{secret:INNER}}".length';
  const flow = await publishedFlow(tenant, [{ type: 'transform-data', name: 's', config: { script } }]);
  const { id } = await createTool(tenant, { toolType: 'flow', config: { flowId: flow.id } });
  const { executionId } = await execute(tenant, id, { note: value });
  const shown = await runOf(tenant, executionId);
  expect(shown).toMatchObject({ input: { parameters: { note: '[secret:INNER]' } }, output: value.length });
});

test('large values are objects of the bucket, which are deleted with the tool', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant, { config: { code: 'return input.text.repeat(12)' } });
  const text = 'x'.repeat(100_000);
  const { executionId } = await execute(tenant, id, { text });
  const run = await runOf(tenant, executionId);
  expect(run.input).toEqual({ parameters: { text } });
  expect(run.output).toBeNull();
  expect(await (await fetch(run.outputUrl)).json()).toBe(text.repeat(12));
  const names = () => payloadNames(tenant.tenant, 'tool-runs/');
  expect(await names()).toHaveLength(2);
  await expectStatus(200, tenant.call('DELETE', `/v1/tools/${id}`));
  await expectStatus(404, tenant.call('GET', `/v1/runs/${executionId}`));
  await eventually(async () => expect(await names()).toEqual([]));
});

test('it is listed while it runs, with its arguments; who cancels it aborts its request, and is told what may stand', async () => {
  const tenant = await newTenant();
  const seen = { begun: 0, gone: 0 };
  const { id, run } = await externalTool(tenant, (_request, response) => {
    seen.begun++;
    response.on('close', () => seen.gone++);
  });
  const answer = run({ city: 'Oslo' });
  const { id: runId, ...row } = await onlyRunning(tenant);
  expect(row).toMatchObject({ kind: 'tool', toolId: id, completedAt: null, error: null });
  expect((await runOf(tenant, runId)).input).toEqual({ parameters: { city: 'Oslo' } });
  expect((await getTrace(tenant, runId)).spans[0]).toMatchObject({ status: 'running', endedAt: null });
  expect(await executionsOf(tenant, id)).toMatchObject([{ id: runId, status: 'running', error: null }]);
  await eventually(() => expect(seen.begun).toBe(1));

  const reader = await newKey(tenant, { permissions: ['TOOLS:READ', 'FLOWS:EXECUTE'] });
  await expectStatus(404, cancel(reader, runId));
  expect(await expectStatus(200, cancel(tenant, runId))).toEqual({ id: runId, status: 'cancelled' });
  expect(await runOf(tenant, runId)).toMatchObject({
    status: 'cancelled',
    error: { code: 'CANCELLED', message: expect.stringContaining('The run was cancelled') },
  });
  await expectStatus(409, cancel(tenant, runId));

  await eventually(() => expect(seen.gone).toBe(1));
  const error = 'The run was cancelled. What it had already sent may have taken effect';
  expect(await answer).toEqual({
    executionId: runId,
    status: 'cancelled',
    error,
    executionTimeMs: expect.any(Number),
  });
  expect(seen).toEqual({ begun: 1, gone: 1 });
  expect(await runOf(tenant, runId)).toMatchObject({
    status: 'cancelled',
    error: { code: 'CANCELLED', message: error },
    totalCost: '0',
  });
  expect(await executionsOf(tenant, id)).toMatchObject([{ status: 'cancelled', error }]);
});

/** Runs in this process. */
const runHere = (
  tenant: Tenant,
  toolId: string,
  { table = countingRuntime().scopeOf(tenant.tenant).table, signal = new AbortController().signal },
) =>
  toolExecutor({ table, now: () => new Date(), newId }).execute({
    toolId,
    principal: principalHere(tenant),
    parameters: { n: 1 },
    storeResults: true,
    signal,
    timeMs: 20_000,
  });

test('a run that ends before its process looks again stays cancelled, with its result', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant);
  let transactions = 0;
  const table = brokenTable(tenant.tenant, {
    async before(command) {
      if (!/Transact/.test(command) || transactions++ !== 1) return;
      await expectStatus(200, cancel(tenant, (await onlyRunning(tenant)).id));
    },
  });
  const error = 'The run was cancelled. The tool had done its work';
  const { executionId, ...answer } = await runHere(tenant, id, { table });
  expect(answer).toMatchObject({ status: 'cancelled', error, result: 2 });
  expect(await runOf(tenant, executionId)).toMatchObject({
    status: 'cancelled',
    error: { code: 'CANCELLED', message: error },
    output: 2,
  });
});

test('one whose process crashed ends as failed, once, and keeps its arguments', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant);
  let transactions = 0;
  const table = brokenTable(tenant.tenant, {
    before: (command) => {
      if (/Transact/.test(command) && transactions++ > 0) throw new Error('The process died');
    },
  });
  await expect(runHere(tenant, id, { table })).rejects.toThrow('The process died');
  const { id: runId, startedAt } = await onlyRunning(tenant);
  const { scopeOf } = countingRuntime();
  const end = (isLost?: () => boolean) => lostRuns(scopeOf(tenant.tenant))(toHour(startedAt), isLost);
  await end();
  await onlyRunning(tenant);
  await end(() => true);
  const ended = await runOf(tenant, runId);
  const message = 'The process of the run crashed before the run ended';
  expect(ended).toMatchObject({
    status: 'failed',
    input: { parameters: { n: 1 } },
    error: { code: 'TOOL_FAILED', message },
  });
  expect(await executionsOf(tenant, id)).toMatchObject([{ status: 'failed', error: message }]);
  await expectStatus(409, cancel(tenant, runId));
  await end(() => true);
  expect(await runOf(tenant, runId)).toEqual(ended);
});

test('one whose caller leaves is cancelled', async () => {
  const tenant = await newTenant();
  const wait = { type: 'wait-until', name: 'w', config: { delayMs: 9_000 } };
  const flow = await publishedFlow(tenant, [wait]);
  const { id } = await createTool(tenant, { toolType: 'flow', config: { flowId: flow.id } });
  const caller = new AbortController();
  const answer = runHere(tenant, id, { signal: caller.signal });
  const rejected = expect(answer).rejects.toThrow('gone');
  const { id: runId } = await onlyRunning(tenant);
  caller.abort(new Error('gone'));
  await rejected;
  const message = 'The caller disconnected. What it had already sent may have taken effect';
  expect(await runOf(tenant, runId)).toMatchObject({
    status: 'cancelled',
    error: { code: 'CANCELLED', message },
  });
});

test('a run takes one request to begin and one to end', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant);
  const runtime = countingRuntime();
  const { table } = runtime.scopeOf(tenant.tenant);
  await runHere(tenant, id, { table });
  runtime.reset();
  await runHere(tenant, id, { table });
  const [, ...asked] = runtime.consumed.commands;
  expect(asked).toEqual(['TransactWriteItems', 'TransactWriteItems']);
});
