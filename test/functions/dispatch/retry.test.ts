import { expect, test } from 'vitest';
import { newId } from '../../../shared/core/ids.ts';
import { toHour } from '../../../shared/domain/runs/run.ts';
import { sweepRun } from '../../../shared/execution/agent-runs/sweep-runs.ts';
import { endExpiredExecution } from '../../../shared/execution/dispatch/end-execution.ts';
import { executeFlowRun } from '../../../shared/execution/dispatch/execute-flow-run.ts';
import { lostRuns } from '../../../shared/execution/dispatch/lost-runs.ts';
import { runFinder } from '../../../shared/execution/listed-runs/find-run.ts';
import { runRetrier } from '../../../shared/execution/listed-runs/retry-run.ts';
import { executionEntity } from '../../../shared/execution/runs/execution.ts';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { brokenTable } from '../../support/data/broken-table.ts';
import { createRecords, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { pricedModel } from '../../support/models/model-configs.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey } from '../../support/stack/keys.ts';
import { principalHere } from '../../support/stack/principals.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const ask = (name: string, model: string, more: object = {}) => ({
  type: 'prompt',
  name,
  config: { model, userPrompt: `${name} {{ item }}`, outputVariable: name },
  ...more,
});

const retry = (tenant: Pick<Tenant, 'call'>, id: string, body: object = {}) =>
  tenant.call('POST', `/v1/runs/${id}/retry`, {
    body: { ...body, options: { streamResponse: false, ...(body as { options?: object }).options } },
  });

const rowOf = async (tenant: Tenant, id: string) => expectStatus(200, tenant.call('GET', `/v1/runs/${id}`));

/** A flow with a map, of which the third item fails until its model is mended. */
async function failedFlow() {
  const tenant = await newTenant();
  const echo = await pricedModel(tenant, { mapping: 'echo' });
  const model = await pricedModel(tenant, { mapping: 'broken' });
  const each = [ask('each', echo), ask('last', model, { when: 'item === 3' })];
  const flow = await publishedFlow(tenant, [
    ask('first', echo),
    {
      type: 'map',
      name: 'all',
      config: { items: '[1, 2, 3, 4]', concurrency: 1, steps: each, outputVariable: 'all' },
    },
    ask('after', echo),
    ask('later', echo),
    template('{{ all | json }}'),
  ]);
  const body = {
    flow: { id: flow.id },
    options: { streamResponse: false, tags: ['duty'], sessionId: 'job' },
  };
  const first = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  expect(first).toMatchObject({ success: false });
  const mend = async () => {
    const { data } = await expectStatus(200, tenant.call('GET', '/v1/model-configs'));
    const { settings } = data.find(({ id }: { id: string }) => id === model);
    settings.customModel.executorConfig.modelMapping = 'echo';
    await expectStatus(200, tenant.call('PUT', `/v1/model-configs/${model}`, { body: { settings } }));
  };
  const resultsOf = async (runId: string) =>
    (await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`)).filter(
      ({ executionSessionId }) => executionSessionId === runId,
    );
  return { tenant, flowId: flow.id as string, runId: first.executionId as string, mend, resultsOf };
}

test('a failed flow with a map goes on after what it stored, which is neither done nor paid again', async () => {
  const { tenant, runId, mend, resultsOf } = await failedFlow();
  const before = await resultsOf(runId);
  await mend();
  const second = await expectStatus(200, retry(tenant, runId));
  expect(second).toMatchObject({ success: true });
  const rows = await resultsOf(second.executionId);
  const made = rows.filter(
    (row) => !row.reusedFrom && row.stepType === 'prompt' && row.status === 'completed',
  );
  expect(made).toHaveLength(4);
  for (const { reusedFrom: from, estimatedCost, savedCost } of rows.filter((row) => row.reusedFrom)) {
    const reusedFrom = from as { resultId: string; runId: string };
    const source = before.find(({ id }) => id === reusedFrom.resultId);
    expect({ estimatedCost, savedCost, runId: reusedFrom.runId }).toEqual({
      estimatedCost: '0',
      savedCost: source?.estimatedCost ?? null,
      runId,
    });
  }
  expect(await rowOf(tenant, second.executionId)).toMatchObject({
    retryOf: runId,
    status: 'completed',
    tags: ['duty'],
    sessionId: 'job',
    savedCost: expect.any(String),
  });
  expect(await rowOf(tenant, runId)).toMatchObject({ retryOf: null, retriedBy: [second.executionId] });
});

test('from the start nothing is taken over; a completed run runs again only so', async () => {
  const { tenant, runId, mend, resultsOf } = await failedFlow();
  await mend();
  const { executionId } = await expectStatus(200, retry(tenant, runId, { from: 'start' }));
  expect((await resultsOf(executionId)).filter(({ reusedFrom }) => reusedFrom)).toEqual([]);
  expect((await retry(tenant, executionId)).status).toBe(409);
  const again = await expectStatus(
    200,
    retry(tenant, executionId, { from: 'start', options: { tags: ['x'] } }),
  );
  expect(await rowOf(tenant, again.executionId)).toMatchObject({ retryOf: executionId, tags: ['x'] });
});

test('of two retries at once one starts; the run says which ones there were', async () => {
  const { tenant, runId } = await failedFlow();
  const answers = await Promise.all([retry(tenant, runId), retry(tenant, runId)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const later = await expectStatus(200, retry(tenant, runId));
  const { retriedBy } = await rowOf(tenant, runId);
  expect(retriedBy).toEqual([expect.stringMatching(/^exec_/), later.executionId]);
});

const scopeOf = ({ tenant }: Tenant) => countingRuntime().scopeOf(tenant);
const request = { from: 'failure' as const, unsafe: false, options: {}, timeLeftMs: 60_000 };

test.each([0, 1, 2])(
  'a retry that is killed after %i writes: the next one does nothing again that was stored',
  async (writes) => {
    const { tenant, runId, mend, resultsOf } = await failedFlow();
    await mend();
    const scope = scopeOf(tenant);
    const started = await runRetrier(scope)(
      await runFinder(scope)(runId, ['flow']),
      request,
      principalHere(tenant),
    );
    if (started.kind !== 'flow') throw new Error('No flow');
    let left = writes;
    const dying = {
      now: () => new Date(),
      newId,
      table: brokenTable(tenant.tenant, {
        before: (command) => {
          if (/Put|Transact|Update/.test(command) && left-- <= 0) throw new Error('The process died');
        },
      }),
    };
    const killed = {
      ...started.dispatch,
      requestId: 'r',
      timeMs: 60_000,
      callerSignal: new AbortController().signal,
    };
    await Array.fromAsync(executeFlowRun(dying, { ...killed, showsProgress: false }));
    const { id, startedAt } = started.dispatch.begun?.execution ?? { id: '', startedAt: '' };
    expect((await retry(tenant, runId)).status).toBe(409);
    if (await scope.table.get(executionEntity, { id })) await endExpiredExecution(scope, id);
    else await lostRuns(scope)(toHour(startedAt), (lost) => lost.id === id);
    const last = await expectStatus(200, retry(tenant, writes % 2 === 0 ? runId : id));
    expect(last).toMatchObject({ success: true });
    const paid = [runId, id, last.executionId];
    const rows = (await Promise.all(paid.map(resultsOf))).flat();
    const done = rows.filter(
      ({ reusedFrom, stepType, status }) => !reusedFrom && stepType === 'prompt' && status === 'completed',
    );
    const places = done.map(({ stepPath }) => stepPath);
    expect(places.length - new Set(places).size).toBe(0);
    expect(new Set(places).size).toBe(8);
  },
);

test('409 while a run goes on, 422 for batches, tools and what is not stored, 404 for what one may not run', async () => {
  const { tenant, flowId, runId } = await failedFlow();
  const failing = { type: 'transform-data', name: 'f', config: { script: 'throw new Error("no")' } };
  const inline = { flow: { steps: [failing] }, options: { streamResponse: false } };
  const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body: inline }));
  expect(await retry(tenant, executionId)).toMatchObject({ status: 422 });
  const [record] = await createRecords(tenant, 'thing', 1);
  const body = { flowId, recordIds: [record?.id] };
  const { batchExecutionId } = await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  expect(await retry(tenant, batchExecutionId)).toMatchObject({
    status: 422,
    body: { details: [{ message: expect.stringContaining(`POST /v1/batch/${batchExecutionId}/retry`) }] },
  });
  const waiting = await publishedFlow(tenant, [
    { type: 'wait-until', name: 'w', config: { delayMs: 3_600_000 } },
  ]);
  const paused = { flow: { id: waiting.id }, options: { streamResponse: false } };
  const { executionId: open } = await expectStatus(
    200,
    tenant.call('POST', '/v1/dispatch', { body: paused }),
  );
  expect((await retry(tenant, open)).status).toBe(409);
  expect((await retry(await newTenant(), runId)).status).toBe(404);
  const key = await newKey(tenant, { permissions: ['AGENTS:EXECUTE'] });
  expect((await retry(key, runId)).status).toBe(404);
});

test('400 for an option that its kind of run does not have', async () => {
  const { tenant, runId } = await failedFlow();
  const agent = await failedAgent(1);
  for (const [of, id, options] of [
    [tenant, runId, { background: true }],
    [tenant, runId, { timeoutMs: 60_000 }],
    [agent.tenant, agent.first.executionId, { debugMode: true }],
  ] as const) {
    const path = `options.${Object.keys(options)[0]}`;
    expect(await retry(of, id, { options })).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect((await rowOf(of, id)).retriedBy).toEqual([]);
  }
});

const sum = (value: number) => calls(['calculator', { expression: `${value} + 0` }]);

/** An agent whose model fails once after some tool calls. */
async function failedAgent(turns = 40, more: Record<string, unknown> = {}) {
  const tenant = await newTenant();
  const model = await pricedModel(tenant);
  const config = {
    model,
    tools: { toolIds: ['builtin:calculator'], maxToolCalls: 100 },
    loopConfig: { maxTurns: 100 },
  };
  const agent = await createScriptedAgent(tenant, config);
  const script = scripted(
    ...Array.from({ length: turns }, (_, index) => sum(index)),
    { status: 400, message: 'Not now', times: 1 },
    { text: 'all done' },
  );
  const first = await answered(run(tenant, agent.id, script, more));
  return { tenant, agentId: agent.id as string, first, script };
}

test('an agent that failed after 40 tool calls goes on after them, with its conversation and at no cost', async () => {
  const { tenant, agentId, first } = await failedAgent();
  const { executionId: runId } = first;
  expect(first).toMatchObject({ success: false });
  const before = await rowOf(tenant, runId);
  const second = await expectStatus(200, retry(tenant, runId));
  expect(second).toMatchObject({ success: true, result: 'all done' });
  const row = await rowOf(tenant, second.executionId);
  expect(row).toMatchObject({ retryOf: runId, status: 'completed', savedCost: before.totalCost });
  expect(Number(row.totalCost)).toBeLessThan(Number(before.totalCost) / 5);
  const details = await expectStatus(
    200,
    tenant.call('GET', `/v1/agents/${agentId}/executions/${second.executionId}`),
  );
  expect(details).toMatchObject({ iterations: 41, finalOutput: 'all done' });
  expect((await rowOf(tenant, runId)).retriedBy).toEqual([second.executionId]);
});

test('tool calls that completed in a turn that broke off are taken over, and the others run', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    tools: { toolIds: ['builtin:calculator'] },
  });
  const local = { name: 'outside', description: 'x', parametersSchema: { type: 'object' } };
  const both = calls(['calculator', { expression: '1 + 1' }], ['outside', {}]);
  const paused = await answered(
    run(tenant, agent.id, scripted(both, { text: 'over' }), { clientTools: [local] }),
  );
  const { executionId } = paused;
  await expectStatus(200, tenant.call('POST', `/v1/runs/${executionId}/cancel`));
  const second = await expectStatus(200, retry(tenant, executionId));
  expect(second).toMatchObject({ status: 'paused' });
});

test('a retry of an agent that is killed: the next one goes on with its last fact', async () => {
  const { tenant, first } = await failedAgent(3);
  const scope = scopeOf(tenant);
  const started = await runRetrier(scope)(
    await runFinder(scope)(first.executionId, ['agent']),
    request,
    principalHere(tenant),
  );
  if (started.kind !== 'agent') throw new Error('No agent');
  const { id } = started.run.execution;
  expect((await retry(tenant, first.executionId)).status).toBe(409);
  await sweepRun(scope, id, { now: new Date(Date.now() + 120_000), atStart: false });
  expect(await rowOf(tenant, id)).toMatchObject({ status: 'failed', retryOf: first.executionId });
  const last = await expectStatus(200, retry(tenant, first.executionId));
  expect(last).toMatchObject({ success: true, result: 'all done' });
  expect((await rowOf(tenant, first.executionId)).retriedBy).toEqual([id, last.executionId]);
});

test('a retry runs in the background as its first run did, and streams in front of its caller', async () => {
  const { tenant, first, agentId } = await failedAgent(2, { options: { background: false } });
  const background = await expectStatus(
    202,
    retry(tenant, first.executionId, { options: { background: true } }),
  );
  await eventually(async () =>
    expect(await rowOf(tenant, background.executionId)).toMatchObject({ status: 'completed', agentId }),
  );
  const response = await tenant.call('POST', `/v1/runs/${background.executionId}/retry`, {
    body: { from: 'start' },
  });
  expect(response.status).toBe(202);
});

type Held = (failing: object, fine: (name: string) => object) => object[];

test.each<[string, Held, number]>([
  // twentyhq/twenty#21458: a retry in the middle of a loop found nothing to run.
  [
    'the second pass of a loop',
    (failing, fine) => [
      {
        type: 'loop',
        name: 'l',
        config: {
          while: '_loop.index < 3',
          maxIterations: 3,
          steps: [fine('in'), { ...failing, when: '_loop.index === 1' }],
        },
      },
    ],
    4,
  ],
  [
    'one of two branches',
    (failing, fine) => [
      {
        type: 'parallel',
        name: 'p',
        config: {
          branches: [
            { name: 'a', steps: [fine('left'), failing] },
            { name: 'b', steps: [fine('right')] },
          ],
        },
      },
    ],
    3,
  ],
  [
    'a branch of a condition',
    (failing, fine) => [
      { type: 'conditional', name: 'c', config: { condition: 'true', trueSteps: [fine('yes'), failing] } },
    ],
    2,
  ],
])(
  'a step that failed in %s runs again, and what completed beside it does not',
  async (_name, steps, prompts) => {
    const tenant = await newTenant();
    const echo = await pricedModel(tenant, { mapping: 'echo' });
    const model = await pricedModel(tenant, { mapping: 'broken' });
    const flow = await publishedFlow(tenant, [
      ...steps(ask('failing', model), (name) => ask(name, echo)),
      template('end'),
    ]);
    const body = { flow: { id: flow.id }, options: { streamResponse: false } };
    const first = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
    expect(first).toMatchObject({ success: false });
    const { data } = await expectStatus(200, tenant.call('GET', '/v1/model-configs'));
    const { settings } = data.find(({ id }: { id: string }) => id === model);
    settings.customModel.executorConfig.modelMapping = 'echo';
    await expectStatus(200, tenant.call('PUT', `/v1/model-configs/${model}`, { body: { settings } }));
    const second = await expectStatus(200, retry(tenant, first.executionId));
    expect(second).toMatchObject({ success: true, output: 'end' });
    const rows = await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`);
    const made = rows.filter(
      ({ stepType, status, reusedFrom }) => stepType === 'prompt' && status === 'completed' && !reusedFrom,
    );
    expect(made).toHaveLength(prompts);
  },
);
