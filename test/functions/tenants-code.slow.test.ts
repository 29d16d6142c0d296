import { expect, test } from 'vitest';
import { createFlow, expectStatus } from '../support/flows/flows.ts';
import { call, newTenant } from '../support/stack/stack.ts';

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
  // Whose check does not get a thread within six seconds is told to send the request again.
  const ended = (await attack).map(({ body }) => String(body.error));
  expect(ended.join('\n')).toContain('longer than 1500 ms');
  for (const error of ended) expect(error).toMatch(/longer than 1500 ms|^Service unavailable$/);
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
