import { type Config, createConfig, lintFromString, loadConfig } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { call } from '../../support/stack/stack.ts';

/** What Redocly complains of: each rule, and where. */
async function complaints(config: Config): Promise<[string, string | undefined][]> {
  const { body: document } = await call('GET', '/openapi.json');
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ ruleId, location: [place] }) => [ruleId, place?.pointer]);
}

test('Redocly’s recommended rules report nothing except what redocly.yaml exempts with a reason', async () => {
  expect(await complaints(await loadConfig())).toEqual([]);
  const recommended = await createConfig({ extends: ['recommended'] });
  expect(await complaints(recommended)).toEqual([
    ['no-ambiguous-paths', '#/paths/~1v1~1batch~1{id}~1retry'],
    ['no-ambiguous-paths', '#/paths/~1v1~1batch~1{id}~1cost'],
  ]);
});
