import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guideProblems } from '../docs/guide.ts';
import { runProgram } from '../support/command-line/run-program.ts';
import { tenantWithKey } from '../support/stack/keys.ts';
import { stack } from '../support/stack/stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'python-client-'));
let isAvailable = false;

/** Python 3.11 with `pip`, and a registry that has the generator. */
beforeAll(async () => {
  const made = await runProgram('python3', ['-m', 'venv', folder]);
  const wanted = ['download', '--quiet', '--no-deps', '--dest', folder, 'openapi-python-client>=0.29,<0.30'];
  isAvailable =
    made.status === 0 &&
    (await runProgram(join(folder, 'bin/pip'), wanted, { timeout: 60_000 })).status === 0;
  if (!isAvailable)
    process.stderr.write(
      'The client for Python is not tested: it needs Python 3.11 with venv, and openapi-python-client of PyPI.\n',
    );
}, 90_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('openapi-python-client makes a client without warnings, with which the program of the guide runs a flow', async ({
  skip,
}) => {
  if (!isAvailable) skip();
  const { key } = await tenantWithKey(['FLOWS:*', 'RECORDS:*']);
  expect(
    await guideProblems('docs/guides/python.md', { API: stack().url, KEY: key }, 'sh slow-test'),
  ).toEqual([]);
}, 150_000);
