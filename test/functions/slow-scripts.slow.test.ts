import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, type Schemas } from '../../packages/client/src/client.ts';
import { modelServer } from '../support/models/model-server.ts';
import { killAll, newDirectory, start } from '../support/stack/processes.ts';

test('slow scripts do not cause repeated model calls', async () => {
  const models = await modelServer();
  const { facts } = await start({ DATA_DIR: newDirectory(), GENERIC_OPENAI_BASE_URL: models.url }, [
    '--ephemeral',
  ]);
  onTestFinished(killAll);
  const { call } = createClient({ baseUrl: facts.url, apiKey: facts.liveKey });
  const prompt = (name: string): Schemas.PromptStep => ({
    type: 'prompt',
    name,
    config: { model: 'generic-openai/any', userPrompt: `${name} {{ _record.name }}`, outputVariable: name },
  });
  const busy: Schemas.TransformDataStep = {
    type: 'transform-data',
    name: 'busy',
    config: {
      script: 'const end = Date.now() + 4_000; while (Date.now() < end); return 1',
      timeoutMs: 20_000,
    },
  };
  const { id } = await call('flows.create', {
    body: { name: 'slow', flowSteps: [prompt('before'), busy, prompt('after')] },
  });
  await call('flows.publish', { params: { id } });
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await call('records.create', { body: { type: 'thing', name } });
  const run = await call('flows.run-on-record-type', {
    params: { id },
    body: { recordType: 'thing' },
  });
  for (let status = 'running'; status !== 'completed'; await sleep(100)) {
    ({ status } = await call('batches.status', { params: { id: run.batchId } }));
  }
  expect(models.requests).toHaveLength(10);
}, 60_000);
