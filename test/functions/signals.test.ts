import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { handler as authorizer } from '../../functions/authorizer.ts';
import { handler as dispatch } from '../../functions/dispatch/run.ts';
import { handler as getFlow } from '../../functions/flows/get.ts';
import { handler as runRecord } from '../../functions/workers/run-record.ts';
import { newId } from '../../shared/core/ids.ts';
import { runInvocation } from '../../shared/core/invocation.ts';
import { rememberSecretValue } from '../../shared/core/redaction/known-values.ts';
import { measureStep } from '../../shared/execution/runs/run-attempt.ts';
import { DocumentClient } from '../../shared/platform/data/requests/document-client.ts';
import type { StreamingHandler } from '../../shared/platform/http/lambda/awslambda.ts';
import { logged, metricsIn } from '../support/data/log-lines.ts';
import { plannedBatch, sqsEvent } from '../support/flows/batches.ts';
import { createFlow, template } from '../support/flows/flows.ts';
import { invokeWith } from '../support/stack/invoke.ts';
import { tenantPrincipal } from '../support/stack/principals.ts';
import { newTenant } from '../support/stack/stack.ts';
import { invokeStreaming } from '../support/stack/streamed.ts';

const secret = 'hush "my" dear/7351';
const context = { getRemainingTimeInMillis: () => 60_000, awsRequestId: 'worker-request' };

/** Lets every command of one kind, with this text in its input, fail with an error that quotes secrets. */
function breakCommand(kind: string, part = '') {
  const { send } = DocumentClient.prototype as unknown as { send: (command: object) => unknown };
  rememberSecretValue(secret);
  return vi.spyOn(DocumentClient.prototype, 'send').mockImplementation(function (
    this: unknown,
    command: object,
  ) {
    const { name } = command.constructor;
    if (name !== kind || !JSON.stringify(command).includes(part)) return send.call(this, command);
    throw new Error(`No answer to ${secret} with Authorization: Bearer abcdef123456789`);
  } as never);
}

test('an error line of an endpoint states request, endpoint and tenant, and no secret or credential', async () => {
  const tenant = await newTenant();
  const broken = breakCommand('GetCommand');
  const { lines } = await logged(async () => {
    const { statusCode } = await invokeWith(
      getFlow,
      tenantPrincipal(tenant),
    )({ pathParameters: { id: newId('flow') } });
    expect(statusCode).toBe(500);
  });
  broken.mockRestore();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    level: 'error',
    requestId: 'test',
    endpoint: 'flows.get',
    tenant: tenant.tenant,
    error: 'No answer to [secret] with Authorization: Bearer [redacted]',
  });
  expect(JSON.stringify(lines)).not.toMatch(/dear|abcdef123/);
});

test('a request is one line of metrics, by group and by the caller’s class and never by tenant', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const get = invokeWith(getFlow, tenantPrincipal(tenant));
  const { metrics } = await logged(async () => {
    expect(await get({ pathParameters: { id: flow.id } })).toMatchObject({ statusCode: 200 });
    await get({ pathParameters: { id: newId('flow') } });
  });
  expect(metrics).toHaveLength(2);
  expect(JSON.stringify(metrics)).not.toContain(tenant.tenant);
  const [found = {}, missing = {}] = metrics.map(metricsIn);
  expect(found).toEqual({
    Requests: { value: 1, by: [['session']] },
    Latency: { value: expect.any(Number), by: [[], ['flows']] },
  });
  expect(missing).toMatchObject({ ClientErrors: { value: 1, by: [['session']] } });
});

test('a 5xx is counted in total, by group and by class', async () => {
  const tenant = await newTenant();
  const broken = breakCommand('GetCommand');
  const call = invokeWith(getFlow, tenantPrincipal(tenant));
  const { metrics } = await logged(() => call({ pathParameters: { id: newId('flow') } }));
  broken.mockRestore();
  expect(metricsIn(metrics[0] ?? {})).toMatchObject({
    ServerErrors: { value: 1, by: [[], ['flows'], ['session']] },
  });
});

test('a worker’s lines state worker, request, tenant, batch and execution', async () => {
  const batch = await plannedBatch({ steps: [template('hello')] });
  const broken = breakCommand('TransactWriteCommand');
  const { lines, metrics } = await logged(() => runRecord(sqsEvent([batch.message()]), context as never));
  broken.mockRestore();
  const { tenant, batchId, runId: executionId } = batch.message();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    worker: 'run-record',
    requestId: 'worker-request',
    tenant,
    batchId,
    executionId,
    error: 'No answer to [secret] with Authorization: Bearer [redacted]',
  });
  expect(metrics).toHaveLength(1);
});

test('a worker writes the runs and steps of all its messages as one line of metrics', async () => {
  const batch = await plannedBatch({ steps: [template('hello'), template('again')], recordCount: 2 });
  const { metrics } = await logged(() => runRecord(sqsEvent(batch.messages), context as never));
  expect(metrics.map(metricsIn)).toEqual([
    { RunsCompleted: { value: 2, by: [[]] }, StepsCompleted: { value: 4, by: [[]] } },
  ]);
});

test('a model call is counted with its tokens and its cost', async () => {
  const { metrics } = await logged(() =>
    runInvocation({}, () =>
      measureStep({
        path: '0',
        stepId: 's',
        status: 'completed',
        startedAt: '',
        durationMs: 1,
        retryCount: 0,
        promptTokens: 7,
        completionTokens: 3,
        estimatedCost: '0.0000125',
      }),
    ),
  );
  expect(metrics.map(metricsIn)).toEqual([
    {
      StepsCompleted: { value: 1, by: [[]] },
      InputTokens: { value: 7, by: [[]] },
      OutputTokens: { value: 3, by: [[]] },
      ModelCost: { value: 0.0000125, by: [[]] },
    },
  ]);
});

test('the metrics of a streamed run are written at its end, with its request, and without a latency', async () => {
  const tenant = await newTenant();
  const { metrics } = await logged(async () => {
    const body = { flow: { steps: [template('hello')] } };
    const { stream, done } = invokeStreaming(dispatch as StreamingHandler, tenant, body);
    stream.resume();
    await done;
  });
  expect(metrics.map(metricsIn)).toEqual([
    {
      Requests: { value: 1, by: [['session']] },
      RunsCompleted: { value: 1, by: [[]] },
      StepsCompleted: { value: 1, by: [[]] },
    },
  ]);
});

test('a line of a dispatched run states its execution', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant, [template('hello')]);
  const broken = breakCommand('PutCommand', 'exec_');
  const { lines } = await logged(async () => {
    const { stream, done } = invokeStreaming(dispatch as StreamingHandler, tenant, {
      flow: { id: flow.id },
    });
    stream.resume();
    await done;
  });
  broken.mockRestore();
  expect(lines.length).toBeGreaterThan(0);
  expect(lines[0]).toMatchObject({
    requestId: 'test',
    endpoint: 'dispatch.run',
    tenant: tenant.tenant,
    executionId: expect.stringMatching(/^exec_/),
  });
});

test('the authorizer gives the access log tenant, kind and key id, and counts temporary refusals', async () => {
  const { token, tenant } = await newTenant();
  const event = (value: string) => ({
    methodArn: 'arn:aws:execute-api:us-east-1:1:api/dev/GET/v1/flows',
    multiValueHeaders: { Authorization: value.split(',') },
  });
  const call = (value: string) => authorizer(event(value) as unknown as APIGatewayRequestAuthorizerEvent);
  expect((await call(`Bearer ${token}`)).context).toMatchObject({ tenant, kind: 'session', keyId: '' });
  const { metrics } = await logged(() => expect(call('Bearer a,Bearer b')).rejects.toThrow('Unauthorized'));
  expect(metrics.map(metricsIn)).toEqual([{ TemporaryRefusals: { value: 1, by: [[]] } }]);
});

test('without METRICS_NAMESPACE no metrics are written', async () => {
  const tenant = await newTenant();
  const spy = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await invokeWith(getFlow, tenantPrincipal(tenant))({ pathParameters: { id: newId('flow') } });
  expect(spy).not.toHaveBeenCalled();
  spy.mockRestore();
});
