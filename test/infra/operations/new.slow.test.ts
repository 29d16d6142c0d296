import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../support/command-line/run-program.ts';

const root = new URL('../../..', import.meta.url).pathname;
const copy = mkdtempSync(join(tmpdir(), 'checkout-'));
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST|npm_|NODE_ENV|NODE_OPTIONS)/.test(name)),
);

async function run(command: string, parameters: string[]) {
  const { status, stdout, stderr } = await runProgram(command, parameters, { cwd: copy, env: inherited });
  return { status, text: stdout + stderr };
}
const add = (...names: string[]) => run(process.execPath, ['infra/operations/new.ts', ...names]);
const bin = (name: string, ...parameters: string[]) =>
  run(process.execPath, [join(root, 'node_modules', '.bin', name), ...parameters]);

beforeAll(async () => {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const { stdout: files } = await runProgram('git', listing, { cwd: root });
  for (const path of files.split('\n').filter(Boolean)) cpSync(join(root, path), join(copy, path));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  await run('git', ['init', '--quiet']);
}, 60_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const stateOf = async () => (await run('git', ['ls-files', '--others', '--exclude-standard'])).text;

test.each<[string[], string]>([
  [['endpoint', 'flow', 'twin'], 'There is no group flow. The groups are api-keys, '],
  [['endpoint', 'batches', 'twin'], 'This command knows no item of the group batches. It can add to flows, '],
  [['endpoint', 'flows', 'Twin'], '"Twin" is no name of an endpoint: use lower-case words with hyphens'],
  [['endpoint', 'flows', '../twin'], '"../twin" is no name of an endpoint'],
  [['endpoint', 'flows', 'get'], 'The group flows has an endpoint get already. Choose another name.'],
  [['step-type', 'prompt'], 'There is a step type prompt already. Choose another name.'],
  [['step-type', '2nd'], '"2nd" is no name of a step type'],
  [['endpoint'], 'Name what to add.\nUsage: npm run new endpoint <group> <verb>'],
  [['worker', 'x'], 'Name what to add.'],
])('npm run new %j is refused, and changes nothing', async (names, sentence) => {
  const before = await stateOf();
  const { status, text } = await add(...names);
  expect({ status, text }).toEqual({ status: 1, text: expect.stringContaining(sentence) });
  expect(await stateOf()).toBe(before);
});

test('what npm run new writes passes the checks and the tests that walk every endpoint and step type', async () => {
  const groups = ['flows', 'records', 'agents', 'products', 'conversations', 'tools'];
  for (const group of groups) expect(await add('endpoint', group, 'twin')).toMatchObject({ status: 0 });
  expect(await add('step-type', 'measure-text')).toMatchObject({ status: 0 });
  expect(await add('step-type', 'measure')).toMatchObject({ status: 0 });
  expect(await add('step-type', 'measure')).toMatchObject({ status: 1 });
  expect(readFileSync(join(copy, 'functions/flows/twin.ts'), 'utf8')).toContain("'/v1/flows/{id}/twin'");

  for (const made of ['docs/generate/main.ts', 'packages/client/generate/main.ts']) {
    expect(await run(process.execPath, [made])).toMatchObject({ status: 0 });
  }
  expect(await bin('biome', 'check', '--error-on-warnings', '.')).toMatchObject({ status: 0 });
  expect(await bin('tsc', '-p', '.')).toEqual({ status: 0, text: '' });
  const { status, text } = await bin(
    'vitest',
    'run',
    ...groups.map((group) => `test/functions/${group}/twin.test.ts`),
    ...['test/shared/execution/steps/measure', 'test/shared/platform/http/openapi.test.ts'],
    ...['registry', 'response-bounds', 'permissions', 'tenancy'].map(
      (name) => `test/functions/${name}.test.ts`,
    ),
    ...[
      'test/functions/dispatch/permissions.test.ts',
      'test/architecture.test.ts',
      'test/repository.test.ts',
    ],
  );
  expect(status, text.slice(-5_000)).toBe(0);
}, 900_000);
