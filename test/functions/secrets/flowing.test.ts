import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { readCheckpoints } from '../../../shared/execution/runs/read-checkpoints.ts';
import { createTool } from '../../support/files/tools.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { openEvents } from '../../support/stack/sse.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';
import { newKeyedSecret } from '../../support/surfaces/setup-links.ts';

const value = () => `value-${randomUUID()}`;
const asJson = { streamResponse: false };

const told = (script: string, outputVariable = 'a') => ({
  type: 'transform-data',
  name: 'tell',
  config: { script, outputVariable },
});

/** Sends to another system. @returns what arrived there */
function receiver() {
  const url = `${inject('webhooksUrl')}/${randomUUID()}`;
  const send = (body: unknown) => ({
    type: 'api-call',
    name: 'send',
    config: { http: { url, method: 'POST', body } },
  });
  const received = async () => {
    const list = (await (await fetch(url)).json()) as { body: string }[];
    return list.map(({ body }) => JSON.parse(body));
  };
  return { send, received };
}

const save = (updates: object) => ({
  type: 'update-record',
  name: 'save',
  config: { recordId: '{{ _record.id }}', updates },
});

const metadataOf = async (tenant: Tenant, id: string) =>
  (await expectStatus(200, tenant.call('GET', `/v1/records/${id}`))).metadata;

test('a value flows on unchanged, also over a pause of the run, and nothing of the run shows it or stores it open', async () => {
  const tenant = await newTenant();
  const secret = value();
  await newKeyedSecret(tenant, 'TOKEN', secret);
  const [record] = await createRecords(tenant, 'thing', 1);
  const { send, received } = receiver();
  const local = { toolType: 'local', name: 'ask', description: 'Asks', parametersSchema: { type: 'object' } };
  const tool = await createTool(tenant, { ...local, config: {} });
  const each = {
    type: 'map',
    name: 'each',
    config: {
      items: 'a.list',
      outputVariable: 'all',
      steps: [{ type: 'tool-call', name: 'wait', config: { toolId: tool.id } }, template('{{ item }}!')],
    },
  };
  const steps = [
    told("return { list: ['{{secret:TOKEN}}'], url: encodeURIComponent('a b' + secrets.TOKEN) }"),
    each,
    send({ all: '{{ all }}', url: '{{ a.url }}' }),
    template('Sent {{ all }}'),
  ];
  const body = { flow: { name: 'inline', steps }, record: { id: record?.id }, options: asJson };
  const run = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  expect(run, JSON.stringify(run)).toMatchObject({ status: 'paused' });
  const stored = () => storedOf(tenant, run.executionId, record?.id as string);
  expect(await stored()).toContain('[secret:TOKEN]');
  expect(await stored()).not.toContain(secret);
  const given = { executionId: run.executionId, toolOutputs: { [run.awaits.toolCallId]: 1 }, ...asJson };
  const ended = await expectStatus(200, tenant.call('POST', '/v1/dispatch/resume', { body: given }));
  expect(await received()).toEqual([{ all: [`${secret}!`], url: `a%20b${secret}` }]);
  expect(ended.output).toBe('Sent ["[secret:TOKEN]!"]');
  const shown = await Promise.all(
    [`/v1/runs/${run.executionId}`, `/v1/runs/${run.executionId}/trace?include=content`].map((path) =>
      expectStatus(200, tenant.call('GET', path)),
    ),
  );
  expect(JSON.stringify(shown)).toContain('[secret:TOKEN]');
  expect(JSON.stringify([run, ended, ...shown])).not.toContain(secret);
  expect(await stored()).not.toContain(secret);
});

/** What is stored of the run, unpacked. */
async function storedOf({ userId }: Tenant, runId: string, recordId: string): Promise<string> {
  const { scopeOf } = countingRuntime();
  const checkpoints = await readCheckpoints(scopeOf(`user:${userId}`), { runId, recordId });
  expect(checkpoints.length).toBeGreaterThan(0);
  return JSON.stringify(checkpoints);
}

test('a record gets the value, and what it gets is what ordinary words were', async () => {
  const tenant = await newTenant();
  const secret = value();
  await newKeyedSecret(tenant, 'TOKEN', secret);
  await newKeyedSecret(tenant, 'STAGE', 'production');
  const records = await createRecords(tenant, 'thing', 2);
  const flow = await publishedFlow(tenant, [
    told("return { token: '{{secret:TOKEN}}', stage: secrets.STAGE }"),
    template('The production of {{ a.token }} in {{ a.stage }}', 'b'),
    save({ token: '{{ a.token }}', text: '{{ b }}' }),
  ]);
  const { batchId } = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  expect(await finishedBatch(tenant, batchId)).toMatchObject({ status: 'completed', failedRecords: 0 });
  for (const { id } of records) {
    expect(await metadataOf(tenant, id as string)).toMatchObject({
      token: secret,
      text: `The production of ${secret} in production`,
    });
  }
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}/step-results`));
  const previews = data.map(({ outputPreview }: { outputPreview: string }) => outputPreview);
  expect(previews).toContain('The production of [secret:TOKEN] in production');
  expect(previews).toContain('{"token":"[secret:TOKEN]","stage":"[secret:STAGE]"}');
  expect(JSON.stringify(data)).not.toContain(secret);
});

test('a tool and a flow inside give steps the value, and a model its name', async () => {
  const tenant = await newTenant();
  const secret = value();
  await newKeyedSecret(tenant, 'TOKEN', secret);
  const { send, received } = receiver();
  const custom = {
    toolType: 'custom',
    description: 'Tells',
    parametersSchema: { type: 'object', properties: {} },
  };
  const tool = await createTool(tenant, {
    ...custom,
    name: 'tell',
    config: { code: 'return { token: secrets.TOKEN }' },
  });
  const inner = await publishedFlow(tenant, [told('return secrets.TOKEN')]);
  const flowTool = await createTool(tenant, {
    ...custom,
    toolType: 'flow',
    name: 'inside',
    config: { flowId: inner.id },
  });
  const calling = (toolId: string, outputVariable: string) => ({
    type: 'tool-call',
    name: outputVariable,
    config: { toolId, parameters: {}, outputVariable },
  });
  const ask = {
    type: 'prompt',
    name: 'ask',
    config: { model: 'generic-openai/any', userPrompt: 'Say {{ a.token }}', outputVariable: 'c' },
  };
  const steps = [
    calling(tool.id as string, 'a'),
    calling(flowTool.id as string, 'b'),
    ask,
    send({ a: '{{ a.token }}', b: '{{ b }}', c: '{{ c }}' }),
  ];
  const { events: frames } = await openEvents(tenant.token, '/v1/dispatch', { flow: { steps } });
  const events = JSON.stringify(await Array.fromAsync(frames));
  expect(await received()).toEqual([{ a: secret, b: secret, c: expect.stringContaining(secret) }]);
  expect(events).toContain('[secret:TOKEN]');
  expect(events).not.toContain(secret);
});
