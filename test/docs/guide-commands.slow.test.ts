import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startModelStandIn } from '../../examples/model-stand-in.ts';
import type { StackFacts } from '../../infra/local/stack.ts';
import { killAll, start } from '../support/stack/processes.ts';
import { guideProblems, guides } from './guide.ts';
import { guideModel } from './model.ts';

const hasTools =
  spawnSync('sh', ['-c', 'command -v bash && command -v jq && command -v curl && command -v openssl'])
    .status === 0;
if (!hasTools) process.stderr.write('The guides are not tested: install bash, curl, jq and openssl.\n');

/** The commands of guides run against one stack, each guide as a tenant of its own. */
let stack: StackFacts;
let model: Awaited<ReturnType<typeof startModelStandIn>>;

beforeAll(async () => {
  model = await startModelStandIn({ answer: guideModel });
  const environment = {
    GENERIC_OPENAI_BASE_URL: model.url,
    // Where a guide says that nobody listens.
    LOCAL_ALLOWED_HOSTS: '127.0.0.1:4011',
    LOG_LEVEL: 'error',
    // That of another stack otherwise.
    PUBLIC_URL: '',
  };
  ({ facts: stack } = await start(environment, ['--ephemeral']));
});

afterAll(async () => {
  killAll();
  await model.close();
});

test.skipIf(!hasTools && !process.env.CI).for(guides)(
  'the commands of %s succeed, with the output that it shows',
  { timeout: 120_000 },
  async (guide) => {
    expect(await guideProblems(guide, await newReader(guide))).toEqual([]);
  },
);

/** The environment of somebody who reads a guide, with a tenant of their own. */
async function newReader(guide: string): Promise<Record<string, string>> {
  const { token } = await post('/local/sessions', { userId: `reader-of-${guide}` });
  const keys = await Promise.all([
    post('/v1/api-keys', { name: 'live', permissions: ['*'] }, token),
    post('/v1/api-keys', { name: 'test', environment: 'test', permissions: ['FLOWS:*', 'RECORDS:*'] }, token),
  ]);
  const [KEY = '', TEST_KEY = ''] = keys.map(({ plainKey }) => plainKey);
  // As the local user has one.
  const { id } = await post(
    '/v1/model-configs',
    { provider: 'generic-openai', modelId: 'gpt-4.1-nano' },
    token,
  );
  await post(`/v1/model-configs/${id}/default`, {}, token, 'PATCH');
  const XDG_CONFIG_HOME = mkdtempSync(join(tmpdir(), 'reader-'));
  // Priced like a model of the catalog.
  return { API: stack.url, KEY, TEST_KEY, MODEL: 'generic-openai/gpt-4.1-nano', PORT: '0', XDG_CONFIG_HOME };
}

async function post(
  path: string,
  body: object,
  token = '',
  method = 'POST',
): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(stack.url + path, { method, headers, body: JSON.stringify(body) });
  expect(response.ok, await response.clone().text()).toBe(true);
  return (await response.json()) as Record<string, string>;
}
