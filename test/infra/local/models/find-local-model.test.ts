import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { findLocalModel } from '../../../../infra/local/models/find-local-model.ts';
import { standInAnswer } from '../../../../infra/local/models/stand-in.ts';

/** An Ollama with these models, as its `/api/tags` lists them. */
async function ollama(...models: object[]): Promise<string> {
  const server = createServer((_request, response) => void response.end(JSON.stringify({ models })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function found(env: Record<string, string>, keys = {}) {
  const model = await findLocalModel(env, keys);
  onTestFinished(() => model?.close());
  return model;
}

test('the newest model of an Ollama that answers prompts is found', async () => {
  const url = await ollama(
    { name: 'nomic-embed-text:latest', details: { family: 'nomic-bert' } },
    { name: 'llama3.2:latest', details: { family: 'llama' } },
    { name: 'qwen3:8b' },
  );
  expect(await found({ OLLAMA_BASE_URL: `${url}/` })).toMatchObject({
    modelId: 'llama3.2:latest',
    displayName: 'llama3.2:latest (Ollama)',
    baseUrl: `${url}/v1`,
  });
});

test('without Ollama, or with one that has no model, the stand-in is found', async () => {
  for (const url of [await ollama(), 'http://127.0.0.1:1']) {
    expect(await found({ OLLAMA_BASE_URL: url })).toMatchObject({ modelId: 'stand-in' });
  }
});

test('nothing is looked for beside a provider of the deployment', async () => {
  expect(await found({}, { OPENAI_API_KEY: 'a key' })).toBeUndefined();
});

test('LOCAL_MODEL leaves Ollama out, or finds nothing; another value is refused', async () => {
  const url = await ollama({ name: 'llama3.2' });
  expect(await found({ OLLAMA_BASE_URL: url, LOCAL_MODEL: 'stand-in' })).toMatchObject({
    modelId: 'stand-in',
  });
  expect(await found({ OLLAMA_BASE_URL: url, LOCAL_MODEL: 'off' })).toBeUndefined();
  await expect(found({ LOCAL_MODEL: 'best' })).rejects.toThrow('LOCAL_MODEL must be one of');
});

test('each answer of the stand-in says that no model wrote it, JSON too', () => {
  const asked = (content: string) => ({ model: 'stand-in', messages: [{ role: 'user', content }] });
  expect(standInAnswer(asked('Hello'))).toBe(
    'The stand-in wrote this, not a language model. It was asked: “Hello”. Connect a model to get an answer.',
  );
  const schema = { type: 'object', properties: { reason: { type: 'string' }, isOpen: { type: 'boolean' } } };
  const json = standInAnswer(asked(`It must fit this JSON Schema: ${JSON.stringify(schema)}`));
  expect(JSON.parse(json)).toEqual({
    reason: 'The stand-in wrote this, not a language model.',
    isOpen: true,
  });
});
