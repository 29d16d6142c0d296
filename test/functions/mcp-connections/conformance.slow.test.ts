import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type OwnGateway, ownGateway } from '../../support/stack/own-gateway.ts';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
/** `CONFORMANCE_SUITE` names another version of the suite, which is installed elsewhere. */
const suite =
  process.env.CONFORMANCE_SUITE ?? fromRoot('node_modules/@modelcontextprotocol/conformance/dist/index.js');
const expected = fromRoot('test/support/servers/mcp-client-conformance.yaml');
const node = fromRoot('node_modules/.bin/node');

/** The scenarios listen at ports of their own, on the loopback. */
const everyPort = Array.from({ length: 64_512 }, (_, index) => `localhost:${index + 1_024}`).join(',');

const publicOrigin = 'https://conformance-test.local';
let gateway: OwnGateway;

// The process keeps the keys of the first issuer that it asks.
beforeAll(async () => {
  vi.stubEnv('PUBLIC_URL', publicOrigin);
  vi.stubEnv('ALLOWED_HOSTS', everyPort);
  gateway = await ownGateway();
});
afterAll(() => gateway.close());

// The suite has time limits of its own, which a busy machine exceeds.
test.each([
  ['--suite', 'backcompat'],
  ['--suite', 'core'],
  ['--suite', 'draft'],
])(
  'of %s %s, a client fails in the expected scenarios only',
  { timeout: 120_000, retry: 1 },
  async (...chosen) => {
    const script = fromRoot('test/support/servers/mcp-conformance-client.ts');
    const command = [node, script, gateway.url, await gateway.issuer.sign(), publicOrigin].join(' ');
    const { ALLOWED_HOSTS: _tooLong, ...env } = process.env;
    const args = ['client', '--command', command, ...chosen, '--expected-failures', expected];
    const child = spawn(node, [suite, ...args], { env });
    const [output, errors, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    if (process.env.CONFORMANCE_SUITE) process.stdout.write(output + errors);
    // Otherwise every scenario would fail, also those that may.
    expect(errors).not.toContain('"error":"Unauthorized"');
    expect([status, output + errors]).toEqual([0, expect.stringMatching(/SUITE SUMMARY|Test Results/)]);
  },
);

test('the table names every scenario of the client that is expected to fail', async () => {
  const [yaml, table] = await Promise.all(
    [expected, fromRoot('docs/mcp-conformance.md')].map((path) => readFile(path, 'utf8')),
  );
  const names = [...(yaml ?? '').matchAll(/^ {2}- ([^:\s]+)/gm)].map(([, name]) => name);
  const [, ofClient = ''] = (table ?? '').split('## As a client');
  const failed = [...ofClient.matchAll(/^\| `(\S+)` \| fails/gm)].map(([, name]) => name);
  expect(failed.sort()).toEqual(names.sort());
});
