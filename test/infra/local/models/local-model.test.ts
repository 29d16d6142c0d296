import { afterEach, expect, test } from 'vitest';
import { createClient } from '../../../../packages/client/src/client.ts';
import { killAll, newDirectory, start } from '../../../support/stack/processes.ts';

afterEach(killAll);

const withoutProvider = {
  GENERIC_OPENAI_BASE_URL: '',
  OLLAMA_BASE_URL: 'http://127.0.0.1:1',
  LOCAL_MODEL: 'auto',
};

/** The model configs of the local user. */
async function configsOf({ url, liveKey }: { url: string; liveKey: string }) {
  const { call } = createClient({ baseUrl: url, apiKey: liveKey });
  const { data } = await call('model-configs.list');
  return data.map(({ displayName, isDefault }) => [displayName, isDefault]);
}

test('a stack without a provider answers prompts by the stand-in, until there is a provider', async () => {
  const directory = newDirectory();
  const first = await start({ ...withoutProvider, DATA_DIR: directory });
  const { call } = createClient({ baseUrl: first.facts.url, apiKey: first.facts.liveKey });
  const step = { type: 'prompt', name: 'Ask', config: { model: 'default', userPrompt: 'Hello' } };
  const answer = await call('dispatch.run', {
    body: { flow: { steps: [step] }, options: { streamResponse: false } },
  } as never);
  expect(answer).toMatchObject({
    status: 'completed',
    output: expect.stringContaining('The stand-in wrote this'),
  });
  expect(await configsOf(first.facts)).toEqual([['Stand-in (not a language model)', true]]);
  killAll();
  const second = await start({ DATA_DIR: directory, OPENAI_API_KEY: 'a key', GENERIC_OPENAI_BASE_URL: '' });
  const [[name, isDefault] = [], ...others] = await configsOf(second.facts);
  expect(name).not.toContain('Stand-in');
  expect([isDefault, others]).toEqual([true, []]);
});
