import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { openAi, requestError, served } from '../../support/models/openai.ts';
import { tenantWithKey } from '../../support/stack/keys.ts';

const newCaller = async () => {
  const { tenant, key } = await tenantWithKey(['FLOWS:EXECUTE']);
  return { tenant, client: openAi(key) };
};
const model = served('embedder');

test('embeds texts, as base64 for the package and as numbers, with the same vectors', async () => {
  const { tenant, client } = await newCaller();
  const input = ['Eldoret is high', 'Oslo is low'];
  // Without a format, the package asks for base64, and decodes it.
  const packed = await client.embeddings.create({ model, input });
  const plain = await client.embeddings.create({ model, input, encoding_format: 'float' });
  expect(plain).toMatchObject({
    object: 'list',
    model,
    usage: { prompt_tokens: 7, total_tokens: 7 },
    data: [
      { object: 'embedding', index: 0 },
      { object: 'embedding', index: 1 },
    ],
  });
  for (const [index, { embedding }] of plain.data.entries()) {
    expect(embedding).toHaveLength(64);
    expect(packed.data[index]?.embedding).toEqual(Array.from(Float32Array.from(embedding)));
  }
  const runs = await expectStatus(200, tenant.call('GET', '/v1/runs'));
  expect(runs.data).toHaveLength(2);
  expect(runs.data[0]).toMatchObject({
    kind: 'flow',
    name: model,
    status: 'completed',
    tokens: { input: 7 },
  });
  const { spans } = await expectStatus(200, tenant.call('GET', `/v1/runs/${runs.data[0].id}/trace`));
  expect(spans.map(({ name }: { name: string }) => name)).toEqual([model, 'embeddings embedder']);
  const usage = await expectStatus(200, tenant.call('GET', '/v1/model-usage'));
  expect(usage.summary.totalRequests).toBe(2);
});

test('takes the length of the vectors, the default model, and more texts than one call of a model', async () => {
  const { tenant, client } = await newCaller();
  const short = await client.embeddings.create({ model, input: 'one', dimensions: 8 });
  expect(short.data[0]?.embedding).toHaveLength(8);
  const customModel = {
    displayName: 'Embedder',
    category: 'embedding',
    inputCostPer1kTokens: 0.001,
    outputCostPer1kTokens: 0,
  };
  const body = { provider: 'generic-openai', modelId: 'embedder', settings: { customModel } };
  await expectStatus(201, tenant.call('POST', '/v1/model-configs', { body }));
  const input = Array.from({ length: 501 }, (_, n) => `text ${n}`);
  const many = await client.embeddings.create({ model: 'default', input });
  expect(many.data).toHaveLength(501);
  expect(many.data.map(({ index }) => index)).toEqual(input.map((_, index) => index));
  expect(many.data[500]?.embedding).toEqual(
    (await client.embeddings.create({ model, input: 'text 500' })).data[0]?.embedding,
  );
});

test.each([
  [{ input: [1, 2, 3] }, 400, 'unsupported_parameter', 'input'],
  [{ input: [[1, 2], [3]] }, 400, 'unsupported_parameter', 'input'],
  [{ input: [] }, 400, 'invalid_value', 'input'],
  [{ input: '' }, 400, 'invalid_value', 'input'],
  [{ input: '  ' }, 400, 'invalid_value', null],
  [{ input: undefined }, 400, 'missing_required_parameter', 'input'],
  [{ dimensions: 0 }, 400, 'invalid_value', 'dimensions'],
  [{ encoding_format: 'hex' }, 400, 'invalid_value', 'encoding_format'],
  [{ wizardry: 1 }, 400, 'unknown_parameter', 'wizardry'],
  [{ model: 'no-such-model' }, 404, 'model_not_found', 'model'],
  [{ model: 'agent/any' }, 400, 'unsupported_parameter', 'model'],
  [{ model: served('broken') }, 502, 'upstream_error', null],
])('%j is refused', async (changes, status, code, param) => {
  const { client } = await newCaller();
  const request = { model, input: 'one', ...changes };
  expect(await requestError(client.embeddings.create(request as never))).toMatchObject({
    status,
    code,
    param,
  });
});
