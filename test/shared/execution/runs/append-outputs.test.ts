import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import type { Write } from '../../../../shared/platform/data/writes.ts';
import { deliverRunMessages, plannedBatch, runOnce } from '../../../support/flows/batches.ts';
import { createRecords, expectStatus, template } from '../../../support/flows/flows.ts';
import { modelServer } from '../../../support/models/model-server.ts';

let server: Awaited<ReturnType<typeof modelServer>>;

beforeEach(async () => {
  server = await modelServer({ answer: () => 'the answer' });
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', server.url);
});
afterEach(() => vi.unstubAllEnvs());

const script = (code: string) => ({
  type: 'transform-data',
  name: 's',
  config: { script: code, outputVariable: 'v' },
});
const prompt = {
  type: 'prompt',
  name: 'p',
  config: { model: 'generic-openai/any', userPrompt: 'ask', outputVariable: 'answered' },
};

/** A dispatched run that goes on by itself, and is to append its outputs in the end. */
const appending = (steps: Parameters<typeof plannedBatch>[0]['steps']) =>
  plannedBatch({
    steps,
    dispatched: { runId: newId('exec'), recordId: null, input: { inline: '{}' }, appendsMetadata: true },
  });

const recordOf = async ({ call, records }: Awaited<ReturnType<typeof appending>>) =>
  expectStatus(200, call('GET', `/v1/records/${records[0]?.id}`));

test('outputs that the record cannot take fail the run, for dispatches and batches', async () => {
  const tooLarge = script('"x".repeat(300_000)');
  const batch = await appending([tooLarge]);
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  expect(await batch.progress()).toMatchObject({ status: 'failed', processedRecords: 1, failedRecords: 1 });
  const { data } = await expectStatus(200, batch.call('GET', `/v1/records/${batch.records[0]?.id}/results`));
  const [record] = await createRecords(batch, 'other', 1);
  const body = {
    flow: { name: 'Inline', steps: [tooLarge] },
    record: { id: record?.id },
    options: { streamResponse: false, autoAppendMetadata: true },
  };
  const dispatched = await expectStatus(200, batch.call('POST', '/v1/dispatch', { body }));
  expect(dispatched).toMatchObject({ success: false, status: 'failed' });
  expect(dispatched.error).toMatch(/^The output variables could not be appended to the record: /);
  expect(data).toMatchObject([{ status: 'failed' }]);
});

test.each([
  ['last', [template('the answer!', 'greeting'), prompt]],
  ['before another', [prompt, template('{{ answered }}!', 'greeting')]],
])(
  'a worker that crashes after appending repeats no paid work, with its model call %s',
  async (_where, steps) => {
    const batch = await appending(steps);
    const { table } = batch.scope;
    let appended = false;
    const dying = {
      ...table,
      async updateAndGet(...update: Parameters<typeof table.updateAndGet>) {
        const item = await table.updateAndGet(...update);
        appended = true;
        return item;
      },
      commit: async (writes: readonly Write[]) => {
        if (appended) throw new Error('The worker died');
        await table.commit(writes);
      },
    };
    const scope = { ...batch.scope, table: dying as typeof table };
    await expect(runOnce(scope, batch.message())).rejects.toThrow('The worker died');
    expect((await recordOf(batch)).metadata).toMatchObject({ greeting: 'the answer!' });
    expect(await batch.progress()).toMatchObject({ processedRecords: 0 });
    expect(await deliverRunMessages([batch.message()])).toEqual([]);
    expect(await batch.progress()).toMatchObject({
      status: 'completed',
      processedRecords: 1,
      failedRecords: 0,
    });
    expect(server.requests).toHaveLength(1);
  },
);

test('a run that fails appends nothing', async () => {
  const batch = await appending([script('1'), script('throw new Error("no")')]);
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  expect((await recordOf(batch)).metadata).toEqual({ n: 0 });
});
