import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { ProviderName } from '../../../../shared/adapters/models/providers/provider-names.ts';
import { singleModelPorts } from '../../../support/models/model-ports.ts';
import { loopback } from '../../../support/servers/loopback.ts';

const list = {
  object: 'list',
  model: 'm',
  data: [{ object: 'embedding', index: 0, embedding: [0.25, 0.5] }],
  usage: { prompt_tokens: 3, total_tokens: 3 },
};

/** The requests and responses of the providers' documentation. Google does not report tokens. */
const formats: [ProviderName, string, string, object, object, number][] = [
  ['openai', 'text-embedding-3-small', '/embeddings', { input: ['Hello'] }, list, 3],
  ['mistral', 'mistral-embed', '/embeddings', { input: ['Hello'] }, list, 3],
  ['togetherai', 'BAAI/bge-base-en-v1.5', '/embeddings', { input: ['Hello'] }, list, 3],
  [
    ...(['bedrock', 'amazon.titan-embed-text-v2:0', '/model/amazon.titan-embed-text-v2%3A0/invoke'] as const),
    ...([{ inputText: 'Hello' }, { embedding: [0.25, 0.5], inputTextTokenCount: 3 }, 3] as const),
  ],
  [
    ...(['google', 'gemini-embedding-001', '/models/gemini-embedding-001:embedContent'] as const),
    ...([{ content: { parts: [{ text: 'Hello' }] } }, { embedding: { values: [0.25, 0.5] } }, 0] as const),
  ],
];

test.each(formats)('%s embeds with %s', async (provider, modelId, path, body, answer, promptTokens) => {
  const asked: unknown[] = [];
  const server = await loopback(async (request, response) => {
    asked.push({ path: request.url, body: await json(request) });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  const credentials = { apiKey: 'k', baseUrl: server.url };
  const { embed } = singleModelPorts({ provider, modelId, credentials, keySource: 'platform' });
  const signal = new AbortController().signal;
  expect(await embed({ model: 'm', texts: ['Hello'], signal })).toMatchObject({
    vectors: [[0.25, 0.5]],
    modelUsed: `${provider}/${modelId}`,
    promptTokens,
  });
  expect(asked).toMatchObject([{ path, body }]);
});
