import { expect, test } from 'vitest';
import { dispatch } from '../../../functions/dispatch/run.ts';
import { toStreamingLambda } from '../../../shared/platform/http/lambda/streaming-lambda.ts';
import { createRecords, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';
import { invokeStreaming, readStreamedAnswer } from '../../support/stack/streamed.ts';

const inline = { name: 'Inline', steps: [template('a', 'b'), template('{{ b }}')] };

/**
 * What each case asks, and which requests a warm Lambda sends to DynamoDB for it, after it was counted and has a place
 * among the tenant's runs, which the end of the run gives back. Each run is listed at its start and at its end.
 */
const cases: [string, (ids: { flow: string; record: string }) => object, string[]][] = [
  ['an inline flow without a record', () => ({ flow: inline }), ['PutItem', 'TransactWriteItems']],
  [
    'a stored flow without a record',
    ({ flow }) => ({ flow: { id: flow } }),
    ['GetItem', 'PutItem', 'TransactWriteItems'],
  ],
  [
    'a stored flow on a stored record',
    ({ flow, record }) => ({ flow: { id: flow }, record: { id: record } }),
    ['GetItem', 'GetItem', 'PutItem', 'TransactWriteItems'],
  ],
  [
    'an inline flow on a stored record',
    ({ record }) => ({ flow: inline, record: { id: record } }),
    ['GetItem', 'PutItem', 'TransactWriteItems'],
  ],
  [
    'a stored flow whose results are not kept',
    ({ flow }) => ({ flow: { id: flow }, options: { storeResults: false } }),
    ['GetItem', 'PutItem', 'TransactWriteItems'],
  ],
  [
    'a flow with a long answer, which keeps the place until it is sent',
    () => ({ flow: { name: 'Long', steps: [template('{{ long }}')] }, inputs: { long: 'x'.repeat(16_001) } }),
    ['PutItem', 'PutItem', 'UpdateItem'],
  ],
];

test.each(cases)('%s sends no more requests than necessary', async (_what, bodyOf, expected) => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('a'), template('b')]);
  const [record] = await createRecords(tenant, 'thing', 1);
  const runtime = countingRuntime();
  const handler = toStreamingLambda(dispatch, () => runtime);
  const body = bodyOf({ flow: flow.id, record: record?.id ?? '' });
  const run = async () => {
    const { stream, done } = invokeStreaming(handler, tenant, body);
    const answer = await readStreamedAnswer(stream);
    await done;
    expect(answer.body).toContain('"success":true');
  };
  await run();
  runtime.reset();
  await run();
  expect(runtime.consumed.commands).toEqual(['UpdateItem', 'UpdateItem', ...expected]);
});

test.each<[status: number, why: string, flow: object, record: object, options: object]>([
  [
    409,
    'the record’s name is taken',
    { name: 'New', steps: [template('x')] },
    { type: 'thing', name: 'taken' },
    { flowMode: 'create', recordMode: 'create' },
  ],
  [
    422,
    'there are no steps',
    { name: 'New', steps: [] },
    { type: 'thing', name: 'other' },
    { flowMode: 'create', recordMode: 'create' },
  ],
  [
    404,
    'the flow is unknown',
    { id: `flow_${'0'.repeat(26)}` },
    { type: 'thing', name: 'other' },
    { recordMode: 'create' },
  ],
])(
  '%i because %s, and neither a flow nor a record is stored',
  async (status, _why, flow, record, options) => {
    const tenant = await newTenant();
    const taken = { type: 'thing', name: 'taken' };
    await expectStatus(201, tenant.call('POST', '/v1/records', { body: taken }));
    const body = { flow, record, options: { ...options, streamResponse: false } };
    await expectStatus(status, tenant.call('POST', '/v1/dispatch', { body }));
    expect((await expectStatus(200, tenant.call('GET', '/v1/flows'))).data).toEqual([]);
    expect((await expectStatus(200, tenant.call('GET', '/v1/records'))).data).toMatchObject([taken]);
  },
);
