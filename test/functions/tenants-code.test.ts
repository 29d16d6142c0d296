import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../functions/client.ts';
import { createFlow, expectStatus } from '../support/flows.ts';
import { modelServer } from '../support/model-server.ts';
import { killAll, newDirectory, start } from '../support/processes.ts';
import { call, newTenant } from '../support/stack.ts';

const script = (code: string, more: object = {}) => ({
  type: 'transform-data',
  name: 'script',
  config: { script: code, ...more },
});
const inline = (...steps: object[]) => ({
  body: { flow: { name: 'inline', steps }, options: { streamResponse: false } },
});

/** Which of some pieces of work is over first. */
const firstOf = (work: Record<string, Promise<unknown>>) =>
  Promise.race(Object.entries(work).map(([name, done]) => done.then(() => name)));

test('endless scripts of one tenant do not delay other tenants', async () => {
  const [attacker, other] = await Promise.all([newTenant(), newTenant()]);
  const flow = await createFlow(other);
  const attack = Promise.all(
    Array.from({ length: 6 }, () =>
      attacker.call('POST', '/v1/dispatch', inline(script('while (true);', { timeoutMs: 1_500 }))),
    ),
  );
  await attacker.call('GET', '/v1/flows');
  const reading = expectStatus(200, other.call('GET', `/v1/flows/${flow.id}`));
  const computing = other.call('POST', '/v1/dispatch', inline(script('return 1 + 1')));
  expect(await firstOf({ attack, reading })).toBe('reading');
  expect(await firstOf({ attack, computing })).toBe('computing');
  expect((await computing).body).toMatchObject({ success: true, output: 2 });
  for (const { body } of await attack) {
    expect(body).toMatchObject({ success: false, error: expect.stringContaining('longer than 1500 ms') });
  }
});

test('a flow that takes too long to check is rejected with the path of its script, from any caller, and delays nobody', async () => {
  const bomb = `const x = ${'<T>('.repeat(24)}1${')'.repeat(24)}`;
  const steps = [
    script('return 1'),
    ...Array.from({ length: 3 }, () => script(bomb, { language: 'typescript' })),
  ];
  const other = await newTenant();
  const attack = call('POST', '/v1/public/flows/validate', { body: { name: 'bomb', flowSteps: steps } });
  const save = other.call('POST', '/v1/flows', { body: { name: 'bomb', flowSteps: steps } });
  expect(await firstOf({ attack, save, reading: other.call('GET', '/v1/flows') })).toBe('reading');
  // Saving has the time of a single check. Validation has less for all of its checks together.
  expect(await firstOf({ attack, save })).toBe('attack');
  const refusal = {
    path: 'flowSteps.1.config.script',
    code: 'INVALID_SCRIPT',
    message: expect.stringContaining('takes too long'),
  };
  expect((await attack).body).toMatchObject({ valid: false, errors: [refusal] });
  expect(await save).toMatchObject({ status: 400, body: { details: [refusal] } });
});

test('conditions and scripts use no memory for variables that they do not name', async () => {
  const { call } = await newTenant();
  // Together they are more than the sandbox has memory for.
  const large = Array.from({ length: 12 }, (_, index) => ({
    ...script('return "x".repeat(3_900_000)', { outputVariable: `large${index}` }),
    when: '1 < 2',
  }));
  const answer = await call('POST', '/v1/dispatch', inline(...large, script('return large3.length')));
  expect(answer.body).toMatchObject({ success: true, output: 3_900_000 });
});

test('slow scripts do not cause repeated model calls', async () => {
  const models = await modelServer();
  const { facts } = await start({ DATA_DIR: newDirectory(), GENERIC_OPENAI_BASE_URL: models.url }, [
    '--ephemeral',
  ]);
  onTestFinished(killAll);
  const { call } = createClient({ baseUrl: facts.url, token: facts.liveKey });
  const prompt = (name: string) => ({
    type: 'prompt',
    name,
    config: { model: 'generic-openai/any', userPrompt: `${name} {{ _record.name }}`, outputVariable: name },
  });
  const busy = script('const end = Date.now() + 4_000; while (Date.now() < end); return 1', {
    timeoutMs: 20_000,
  });
  const { id } = await call('POST /v1/flows', {
    body: { name: 'slow', flowSteps: [prompt('before'), busy, prompt('after')] },
  });
  await call('POST /v1/flows/{id}/publish', { params: { id } });
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await call('POST /v1/records', { body: { type: 'thing', name } });
  const run = await call('POST /v1/flows/{id}/run-on-record-type', {
    params: { id },
    body: { recordType: 'thing' },
  });
  for (let status = 'running'; status !== 'completed'; await sleep(100)) {
    ({ status } = await call('GET /v1/batch/status/{id}', { params: { id: run.batchId } }));
  }
  expect(models.requests).toHaveLength(10);
}, 60_000);
