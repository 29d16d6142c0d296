import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context } from 'aws-lambda';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { plannedBatch, sqsEvent } from '../../support/flows/batches.ts';
import { template } from '../../support/flows/flows.ts';
import { modelServer } from '../../support/models/model-server.ts';
import { stack } from '../../support/stack/stack.ts';
import '../../support/suite/fresh-modules.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** A DynamoDB in front of the stack's that fails by itself as often as it is told. */
async function failingDynamoDb(isRefused: (command: string) => boolean) {
  const { port, hostname } = new URL(stack().aws.dynamodb);
  const server = createServer((incoming, response) => {
    const command = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    if (isRefused(command)) {
      incoming.resume();
      response.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' });
      response.end('{"__type":"InternalServerError","message":"database or disk is full"}');
      return;
    }
    const { method, url, headers } = incoming;
    incoming.pipe(
      request({ port, hostname, method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

test.each([
  ['writes', /Put|Write|Update/],
  ['reads', /Get|Query/],
])(
  'a DynamoDB that rejects %s for a while fails no record, and no model is called twice',
  async (_what, refused) => {
    const models = await modelServer();
    const ask = { model: 'generic-openai/any', userPrompt: 'x' };
    const batch = await plannedBatch({
      steps: [
        { type: 'prompt', name: 'one', config: ask },
        template('x'),
        { type: 'prompt', name: 'two', config: ask },
      ],
    });
    let refusals = 12;
    await failingDynamoDb((command) => refused.test(command) && refusals-- > 0);
    vi.stubEnv('GENERIC_OPENAI_BASE_URL', models.url);
    vi.resetModules();
    const { handler } = await import('../../../functions/workers/run-record.ts');
    const context = { getRemainingTimeInMillis: () => 120_000 } as Context;
    expect(await handler(sqsEvent([batch.message()]), context)).toEqual({ batchItemFailures: [] });
    expect(refusals).toBeLessThan(0);
    expect(models.requests).toHaveLength(2);
    expect(await batch.progress()).toMatchObject({ status: 'completed', failedRecords: 0 });
  },
);
