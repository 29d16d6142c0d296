import type { Context } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { failingDynamoDb } from '../../support/data/failing-dynamodb.ts';
import { plannedBatch, sqsEvent } from '../../support/flows/batches.ts';
import { template } from '../../support/flows/flows.ts';
import { modelServer } from '../../support/models/model-server.ts';
import '../../support/suite/fresh-modules.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

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
