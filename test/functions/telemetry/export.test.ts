import { expect, test } from 'vitest';
import {
  createRecords,
  expectStatus,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { newCollector, setTelemetry } from '../../support/servers/telemetry.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const run = ({ call }: Pick<Tenant, 'call'>, flowId: string) =>
  expectStatus(
    200,
    call('POST', '/v1/dispatch', { body: { flow: { id: flowId }, options: { streamResponse: false } } }),
  );

test.concurrent('a test span arrives, with the headers of the setting', async () => {
  const tenant = await newTenant();
  const collector = newCollector();
  await expectStatus(
    201,
    tenant.call('POST', '/v1/secrets', { body: { key: 'COLLECTOR_KEY', value: 'a secret value' } }),
  );
  const headers = { authorization: 'Bearer {{secret:COLLECTOR_KEY}}', 'x-plain': 'plain' };
  await setTelemetry(tenant, { endpoint: collector.endpoint, headers, enabled: false });
  expect(await expectStatus(200, tenant.call('POST', '/v1/telemetry/test'))).toEqual({
    ok: true,
    status: 200,
    message: 'The collector accepted the span',
  });
  const [sent] = await collector.got();
  expect(sent?.headers).toMatchObject({
    'content-type': 'application/x-protobuf',
    authorization: 'Bearer a secret value',
    'x-plain': 'plain',
  });
  expect(sent?.resource).toMatchObject({
    'service.name': 'agent-flow-service',
    'service.version': expect.stringMatching(/^\d+\.\d+\.\d+/),
    'deployment.environment.name': 'local',
  });
  expect(sent?.spans).toMatchObject([{ name: 'test', parentSpanId: '', status: 'STATUS_CODE_OK' }]);
});

test.concurrent.each([
  ['401', { ok: false, status: 401, message: 'The collector answered 401' }],
  ['302', { ok: false, status: 302, message: 'The collector answered 302' }],
  ['rejected', { ok: false, status: 200, message: 'The collector rejected the span: it is too old' }],
  ['silent', { ok: false, status: 200, message: 'The collector rejected the span' }],
  [
    'warned',
    { ok: true, status: 200, message: 'The collector accepted the span, and says: send fewer attributes' },
  ],
  ['garbage', { ok: true, status: 200, message: 'The collector accepted the span' }],
  ['endless', { ok: true, status: 200, message: 'The collector accepted the span' }],
])('a test says that the collector answered %s', async (answers, result) => {
  const tenant = await newTenant();
  await setTelemetry(tenant, { endpoint: newCollector(answers).endpoint });
  expect(await expectStatus(200, tenant.call('POST', '/v1/telemetry/test'))).toEqual(result);
});

test.concurrent('a test does not repeat the value of a header that the collector repeats', async () => {
  const tenant = await newTenant();
  const headers = { authorization: 'Bearer sk-hidden-value-3' };
  await setTelemetry(tenant, { endpoint: newCollector('echo').endpoint, headers });
  const { message } = await expectStatus(200, tenant.call('POST', '/v1/telemetry/test'));
  expect(message).toContain('bad key in');
  expect(message).not.toContain('sk-hidden-value-3');
});

test.concurrent('a test names a secret without value, and an address that may not be reached', async () => {
  const tenant = await newTenant();
  await setTelemetry(tenant, { endpoint: newCollector().endpoint, headers: { a: '{{secret:NO_SUCH_KEY}}' } });
  const test = () => expectStatus(200, tenant.call('POST', '/v1/telemetry/test'));
  expect(await test()).toEqual({ ok: false, status: null, message: 'The secret NO_SUCH_KEY has no value' });
  await setTelemetry(tenant, { endpoint: 'https://localhost' });
  expect(await test()).toMatchObject({
    ok: false,
    status: null,
    message: expect.stringContaining('localhost'),
  });
});

test.concurrent('slashes at the end of an address do not double', async () => {
  const tenant = await newTenant();
  const collector = newCollector();
  await setTelemetry(tenant, { endpoint: `${collector.endpoint}//` });
  expect(await expectStatus(200, tenant.call('POST', '/v1/telemetry/test'))).toMatchObject({ ok: true });
});

test.concurrent('a run that ends arrives, with the ids of its trace; those of other tenants do not', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  await setTelemetry(other, { endpoint: newCollector().endpoint });
  const collector = newCollector();
  await setTelemetry(tenant, { endpoint: collector.endpoint });
  const flow = await publishedFlow(tenant, [template('Hello', 'greeting')]);
  await run(other, (await publishedFlow(other, [template('Hello')])).id);
  const { executionId } = await run(tenant, flow.id);
  const [sent] = await collector.got();
  const trace = await expectStatus(200, tenant.call('GET', `/v1/runs/${executionId}/trace`));
  expect(sent?.spans.map(({ traceId, spanId }) => [traceId, spanId])).toEqual(
    trace.spans.map(({ spanId }: { spanId: string }) => [trace.traceId, spanId]),
  );
  const [root] = sent?.spans ?? [];
  expect(root).toMatchObject({
    parentSpanId: '',
    attributes: { 'run.id': executionId, 'run.span.kind': 'run' },
  });
  expect(root?.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(root?.spanId).toMatch(/^[0-9a-f]{16}$/);
});

test.concurrent.each(['503', '429:1'])('after %s a run is sent again, with the same ids', async (answer) => {
  const tenant = await newTenant();
  const collector = newCollector(`${answer},200`);
  await setTelemetry(tenant, { endpoint: collector.endpoint });
  await run(tenant, (await publishedFlow(tenant, [template('Hello')])).id);
  const [first, second] = await collector.got(2);
  expect(second?.spans).toEqual(first?.spans);
});

test.concurrent('a change holds for runs that end afterwards', async () => {
  const tenant = await newTenant();
  const [one, other] = [newCollector('503,503,200'), newCollector()];
  const flow = await publishedFlow(tenant, [template('Hello')]);
  await setTelemetry(tenant, { endpoint: one.endpoint });
  const before = await run(tenant, flow.id);
  await setTelemetry(tenant, { endpoint: other.endpoint });
  const after = await run(tenant, flow.id);
  const idOf = (sent: Awaited<ReturnType<typeof one.got>>) => sent.at(-1)?.spans[0]?.attributes['run.id'];
  expect(idOf(await other.got())).toBe(after.executionId);
  expect(idOf(await one.got(3))).toBe(before.executionId);
  await setTelemetry(tenant, { endpoint: other.endpoint, enabled: false });
  await run(tenant, flow.id);
  await setTelemetry(tenant, { endpoint: other.endpoint });
  const last = await run(tenant, flow.id);
  expect(idOf(await other.got(2))).toBe(last.executionId);
});

test.concurrent('a batch arrives with its records, and the content of spans only where the setting says so', async () => {
  const tenant = await newTenant();
  const collector = newCollector();
  await setTelemetry(tenant, { endpoint: collector.endpoint, content: 'full' });
  const flow = await publishedFlow(tenant, [template('Hello {{ _record.name }}', 'greeting')]);
  await createRecords(tenant, 'person', 3);
  await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'person'));
  const [full] = await collector.got();
  expect(full?.spans.map(({ attributes }) => attributes['run.span.kind'])).toEqual(
    expect.arrayContaining(['run', 'record', 'step']),
  );
  expect(JSON.stringify(full?.spans)).toContain('Hello person-');
  await setTelemetry(tenant, { endpoint: collector.endpoint });
  await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'person'));
  const [, bare] = await collector.got(2);
  expect(bare?.spans).toHaveLength(full?.spans.length ?? 0);
  expect(JSON.stringify(bare?.spans)).not.toContain('Hello person-');
});

test.concurrent('a cancelled batch arrives with the records that ended after it', async () => {
  const tenant = await newTenant();
  const collector = newCollector();
  await setTelemetry(tenant, { endpoint: collector.endpoint });
  const slow = { type: 'prompt', name: 'slow', config: { model: 'generic-openai/slow', userPrompt: 'wait' } };
  const flow = await publishedFlow(tenant, [slow]);
  await createRecords(tenant, 'person', 30);
  const { batchId } = await expectStatus(202, runFlowOnRecords(tenant, flow.id, 'person'));
  await eventually(async () => {
    const { counts } = await expectStatus(200, tenant.call('GET', `/v1/runs/${batchId}`));
    expect(counts.completed).toBeGreaterThan(0);
  });
  await expectStatus(200, tenant.call('POST', `/v1/runs/${batchId}/cancel`));
  const [sent] = await collector.got();
  const records = sent?.spans.filter(({ attributes }) => attributes['run.span.kind'] === 'record') ?? [];
  const { counts } = await expectStatus(200, tenant.call('GET', `/v1/runs/${batchId}`));
  expect(counts.completed).toBeGreaterThan(0);
  expect(records).toHaveLength(counts.completed);
});
