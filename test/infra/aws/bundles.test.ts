import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { buildBundles } from '../../../infra/aws/lambdas/bundles.ts';

/** Two Lambdas with a module that both use, and one that both load later. */
const sources = {
  'one.ts': `import { count, greet } from './shared.ts';
    export const handler = async () => {
      count();
      const sharedLater = await import('./shared.ts');
      sharedLater.count();
      const { later } = await import('./later.ts');
      return greet('one') + ' ' + later();
    };`,
  'two.ts': `import { count } from './shared.ts';
    export const handler = async () => {
      count();
      count();
      const { later } = await import('./later.ts');
      return 'two ' + later();
    };`,
  'shared.ts': `let counted = 0;
    export const count = () => ++counted;
    export const greet = (name: string) => 'hello ' + name;`,
  'later.ts': `import { count } from './shared.ts';
    import { twice } from './helper.ts';
    export const later = () => 'counted ' + twice(count());`,
  'helper.ts': 'export const twice = (value: number) => 2 * value;',
};

async function world() {
  const folder = await mkdtemp(join(tmpdir(), 'bundled-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  for (const [name, text] of Object.entries(sources)) await write(name, text);
  const directory = join(folder, 'bundles');
  const lambdas = ['one', 'two'].map((id) => ({ id, file: join(folder, `${id}.ts`) }));
  const bundle = () => buildBundles(lambdas, directory);
  await bundle();

  async function run(id: string) {
    const script = `const { handler } = await import('${directory}/${id}/index.mjs'); console.log(await handler());`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    return stdout.trim();
  }

  /** The texts of a bundle, by file. */
  async function read(id: string): Promise<Record<string, string>> {
    const all = await readdir(join(directory, id), { recursive: true });
    const names = all.filter((name) => name.endsWith('.mjs')).sort();
    const texts = await Promise.all(names.map((name) => readFile(join(directory, id, name), 'utf8')));
    return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
  }

  return { directory, write, bundle, run, read };
}

test('what a Lambda loads later shares the modules of its start', async () => {
  const { run } = await world();
  expect(await run('one')).toBe('hello one counted 6');
  expect(await run('two')).toBe('two counted 6');
});

test('a bundle has one file for the start, and not what only another Lambda uses', async () => {
  const { read, directory } = await world();
  const two = await read('two');
  expect(Object.keys(two)).toEqual(['index.mjs', expect.stringMatching(/^later\/later-\w+\.mjs$/)]);
  expect(two['index.mjs']).not.toContain('hello');
  expect((await read('one'))['index.mjs']).toContain('hello');
  expect((await readdir(directory)).sort()).toEqual(['one', 'two']);
});

test('a change of a Lambda changes its own bundle alone, and the same sources make the same bundles', async () => {
  const { write, bundle, run, read } = await world();
  const before = { one: await read('one'), two: await read('two') };
  await write('one.ts', sources['one.ts'].replace("greet('one')", "greet('you')"));
  await bundle();
  expect(await read('two')).toEqual(before.two);
  expect(await run('one')).toBe('hello you counted 6');
  await write('one.ts', sources['one.ts']);
  await bundle();
  expect(await read('one')).toEqual(before.one);
});
