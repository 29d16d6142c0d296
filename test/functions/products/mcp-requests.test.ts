import { expect, test } from 'vitest';
import { serveMcp } from '../../../functions/surface-mcp/serve.ts';
import type { StreamingHandler } from '../../../shared/platform/http/lambda/awslambda.ts';
import { toStreamingLambda } from '../../../shared/platform/http/lambda/streaming-lambda.ts';
import { newRecord } from '../../support/data/records.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { countingRuntime } from '../../support/stack/stack.ts';
import { invokeStreaming, readStreamedAnswer } from '../../support/stack/streamed.ts';
import { mcpSurface, postMcp } from '../../support/surfaces/mcp-surface.ts';

/** Sends messages to one warm Lambda. @returns the DynamoDB requests of each. */
async function counting({ tenant, productId, surface, key }: Awaited<ReturnType<typeof mcpSurface>>) {
  const runtime = countingRuntime();
  const handler = toStreamingLambda(serveMcp, () => runtime) as unknown as StreamingHandler;
  const send = async (method: string, params: object = {}) => {
    runtime.reset();
    const message = { jsonrpc: '2.0', id: 1, method, params };
    const { stream, done } = invokeStreaming(handler, tenant, message, 60_000, {
      pathParameters: { id: productId, surfaceId: surface.id },
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${key}`,
      },
    });
    const [{ body }] = await Promise.all([readStreamedAnswer(stream), done]);
    expect(body).toContain('"result"');
    return { commands: runtime.consumed.commands.toSorted(), body };
  };
  return send;
}

const protocolVersion = '2025-11-25';
const hello = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
const call = { name: 'greet', arguments: { person: 'Ada' } };
/** The counter of the key, and the surface with its product. */
const admission = ['BatchGetItem', 'UpdateItem'];

test('a warm surface takes two DynamoDB requests for a message, and five for the call of a tool', async () => {
  const world = await mcpSurface(undefined, { behavior: { resources: { recordTypes: ['city'] } } });
  await newRecord(world.tenant, { type: 'city', name: 'Bern' });
  const send = await counting(world);
  await send('tools/call', call);
  const commandsOf = async (method: string, params?: object) => (await send(method, params)).commands;
  expect(await commandsOf('initialize', hello)).toEqual(admission);
  expect(await commandsOf('ping')).toEqual(admission);
  // The first list looks whether the flow exists.
  expect(await commandsOf('tools/list')).toEqual(['BatchGetItem', ...admission]);
  expect(await commandsOf('tools/list')).toEqual(admission);
  // The surface with its flow, the counter of the key, a place among the tenant's runs, the run in the list, and its results
  // with its end and the place.
  expect(await commandsOf('tools/call', call)).toEqual(
    [...admission, 'PutItem', 'UpdateItem', 'TransactWriteItems'].toSorted(),
  );
  expect(await commandsOf('resources/list')).toEqual([...admission, 'Query'].toSorted());
  expect(await commandsOf('resources/read', { uri: 'record:city/Bern' })).toEqual(
    [...admission, 'GetItem', 'GetItem'].toSorted(),
  );
});

test('an item that got another flow runs that one, though the former is read ahead', async () => {
  const world = await mcpSurface();
  const { tenant, productId, capability } = world;
  const send = await counting(world);
  expect((await send('tools/call', call)).body).toContain('Hello Ada');
  const other = await publishedFlow(tenant, [template('Goodbye {{ person }}')]);
  const path = `/v1/products/${productId}/capabilities/${capability.id}`;
  await expectStatus(200, tenant.call('DELETE', path));
  const given = { capabilityName: 'Greet', flowId: other.id };
  const { id } = await expectStatus(
    201,
    tenant.call('POST', `/v1/products/${productId}/capabilities`, { body: given }),
  );
  const items = `/v1/products/${productId}/surfaces/${world.surface.id}/items`;
  await expectStatus(201, tenant.call('POST', items, { body: { capabilityId: id } }));
  expect((await send('tools/call', call)).body).toContain('Goodbye Ada');
});

test('a parameter that no variable can be named after is named in the result', async () => {
  const { path, key } = await mcpSurface();
  const params = { name: 'greet', arguments: { person: 'Ada', constructor: 1 } };
  const { text } = await postMcp(key, path, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  expect(text).toContain('constructor: This name is reserved');
});
